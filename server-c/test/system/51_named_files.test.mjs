// SPDX-License-Identifier: MIT
// The files that a config names are part of what is served: a change of theirs counts, at a reload at
// once, without one soon, and a bad one takes nothing away.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hungDisk } from '../support/hung-disk.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { get } from '../support/raw.mjs'

const FIRST = 'the first key of all\n'
const SECOND = 'a second and longer key\n'
const PATH = '/paid/film.txt'

/** The target that `key` lets in. */
function signed(key) {
  const expires = Math.floor(Date.now() / 1000) + 600
  const hmac = createHmac('sha256', key.trim()).update(`${PATH}\n${expires}`)
  return `${PATH}?expires=${expires}&signature=${hmac.digest('base64url')}`
}

const statusOf = async (port, key) => (await get(port, signed(key))).status

/** A node with a signed file, whose key is in `key`. */
async function start(t, { key = FIRST, ...options } = {}) {
  const folder = tempFolder(t)
  const secretFile = join(folder, 'key')
  if (key) writeFileSync(secretFile, key)
  const node = await startNode(t, {
    files: { 'paid/film.txt': 'film', 'free.txt': 'free' },
    site: { signedUrls: [{ paths: ['/paid/**'], secretFile }] },
    ...options,
  })
  const takes = (one) => statusOf(node.port, one)
  return { node, folder, secretFile, takes }
}

/** As programs do that never leave half a file. */
function replace(path, text) {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

describe('files that a config names', { concurrency: 5 }, () => {
  test('a reload of the same text takes a new key at once', async (t) => {
    const { node, secretFile, takes } = await start(t)
    const before = (await node.status()).effective
    assert.equal(await takes(FIRST), 200)
    writeFileSync(secretFile, SECOND)
    assert.ok(await node.reload(node.config), node.log)
    assert.equal(await takes(SECOND), 200)
    assert.equal(await takes(FIRST), 403)
    const after = (await node.status()).effective
    assert.equal(after.digest, before.digest)
    assert.equal(after.generation, before.generation + 1)
    assert.match(
      node.log,
      /info site: the secret file "\S*key" has changed: what is in it now is in/,
    )
  })

  for (const [how, change] of [
    ['written in place', (path) => writeFileSync(path, SECOND)],
    ['put into its place', (path) => replace(path, SECOND)],
  ])
    test(`a key that was ${how} is taken without a reload`, async (t) => {
      const { node, secretFile, takes } = await start(t)
      change(secretFile)
      await until(async () => (await takes(SECOND)) === 200, 'the new key')
      assert.equal(await takes(FIRST), 403)
      assert.equal((await node.status()).effective.generation, 1)
    })

  test('a key in a folder whose link is turned (Kubernetes) is taken each time, on all loops', async (t) => {
    const volume = tempFolder(t)
    const secretFile = join(volume, 'key')
    /** As the kubelet writes a secret: a new folder, a link turned to it, the old folder gone. */
    const turn = (name, key) => {
      mkdirSync(join(volume, name))
      writeFileSync(join(volume, name, 'key'), key)
      const old = existsSync(join(volume, '..data')) && readlinkSync(join(volume, '..data'))
      symlinkSync(name, join(volume, '..data_tmp'))
      renameSync(join(volume, '..data_tmp'), join(volume, '..data'))
      if (old) rmSync(join(volume, old), { recursive: true })
    }
    turn('..1', FIRST)
    symlinkSync('..data/key', secretFile)
    const node = await startNode(t, {
      files: { 'paid/film.txt': 'film' },
      site: { signedUrls: [{ paths: ['/paid/**'], secretFile }] },
      config: { workers: 3 },
    })
    for (const [name, key, old] of [
      ['..2', SECOND, FIRST],
      ['..3', FIRST, SECOND],
    ]) {
      const from = node.log.length
      turn(name, key)
      await node.logLine(/has changed: what is in it now is in force/, from)
      for (let i = 0; i < 20; i++) {
        assert.equal(await statusOf(node.port, key), 200)
        assert.equal(await statusOf(node.port, old), 403)
      }
    }
    assert.doesNotMatch(node.log, / error /)
  })

  const filesUnusable = async (node) => (await node.status()).gauges.filesUnusable

  for (const [what, spoil, problem] of [
    ['too short', (path) => writeFileSync(path, 'short'), /is too short for a key/],
    ['gone', (path) => rmSync(path), /does not exist on this machine/],
  ])
    test(`a key file that is ${what} leaves the key that was: said, shown, and mended later`, async (t) => {
      const { node, secretFile, takes } = await start(t)
      assert.equal(await filesUnusable(node), 0)
      spoil(secretFile)
      const [line] = await node.logLine(/error site: the secret file .*\n/)
      assert.match(line, problem)
      assert.match(line, /; what was read of it before stays in force\n/)
      assert.equal(await filesUnusable(node), 1)
      assert.equal(await takes(FIRST), 200)
      // A person who asks for it is told, and loses nothing either.
      assert.equal(await node.reload(node.config), false)
      assert.equal(await takes(FIRST), 200)
      writeFileSync(secretFile, FIRST)
      await node.logLine(
        /info site: the secret file "\S*key" can be used again, it has not changed/,
      )
      writeFileSync(secretFile, SECOND)
      await until(async () => (await takes(SECOND)) === 200, 'the new key')
      assert.equal(await filesUnusable(node), 0)
    })

  test('a new key is no new generation: what was counted goes on', async (t) => {
    const { node, secretFile } = await start(t)
    await get(node.port, '/free.txt')
    await node.untilCounter('requests', 1)
    replace(secretFile, SECOND)
    await node.logLine(/has changed: what is in it now is in force/)
    const status = await node.status()
    assert.equal(status.series.length, 1)
    assert.equal(await node.counter('requests'), 1)
    assert.equal(status.reloads, 0)
  })

  test('a reload of the same text takes a new password file at once', async (t) => {
    const folder = tempFolder(t)
    const file = join(folder, 'users')
    const hash = (password) =>
      execFileSync('openssl', ['passwd', '-6', '-salt', 'saltsalt', password]).toString().trim()
    writeFileSync(file, `ann:${hash('old')}\n`)
    const node = await startNode(t, {
      files: { 'in/a.txt': 'inside' },
      site: { auth: [{ paths: ['/in/**'], realm: 'inner', file }] },
    })
    const basic = (password) => `Authorization: Basic ${btoa(`ann:${password}`)}`
    const ask = async (password) =>
      (await get(node.port, '/in/a.txt', { lines: [basic(password)] })).status
    assert.equal(await ask('old'), 200) // and is trusted for a while
    writeFileSync(file, `ann:${hash('new')}\n`)
    assert.ok(await node.reload(node.config))
    assert.equal(await ask('old'), 401)
    assert.equal(await ask('new'), 200)
  })

  test('a key on a disk that hangs holds up neither requests nor the stop', async (t) => {
    const { wrap } = hungDisk(t)
    const { node, folder, secretFile, takes } = await start(t, { wrap })
    node.expectFailure = true
    const hanging = join(folder, 'hang-read')
    writeFileSync(hanging, SECOND)
    symlinkSync(hanging, `${secretFile}.new`)
    renameSync(`${secretFile}.new`, secretFile)
    const fds = `/proc/${node.child.pid}/fd`
    const isRead = () =>
      readdirSync(fds).some((fd) => {
        try {
          return readlinkSync(join(fds, fd)) === hanging
        } catch {
          return false // closed meanwhile
        }
      })
    await until(isRead, 'that the key is being read')
    assert.equal(await takes(FIRST), 200)
    assert.equal((await get(node.port, '/free.txt')).status, 200)
    assert.equal(await node.stop(), 1)
    assert.match(node.log, /a disk does not answer/)
  })

  /* --- with a control plane ---------------------------------------------------------------------- */

  async function joined(t) {
    const { control, node } = await joinNodeFor(t)
    const secretFile = join(node.dir, 'key')
    writeFileSync(secretFile, FIRST)
    writeFileSync(join(node.root, 'film.txt'), 'film')
    const config = (version) => {
      const whole = node.config(version)
      whole.sites[0].signedUrls = [{ paths: ['/paid/**'], secretFile }]
      whole.sites[0].aliases = [{ path: '/paid/', folder: node.root }]
      return whole
    }
    node.start()
    const { generation } = control.assign(config('v1'))
    await node.untilVersion('v1')
    await node.untilConfirmed(generation)
    return { control, node, secretFile, config }
  }

  test('an equal config that is pushed again takes a new key', async (t) => {
    const { control, node, secretFile, config } = await joined(t)
    assert.equal(await statusOf(node.port, FIRST), 200)
    replace(secretFile, SECOND)
    const { generation } = control.assign(config('v1'))
    await node.untilConfirmed(generation)
    assert.equal(await statusOf(node.port, SECOND), 200)
    assert.equal(await statusOf(node.port, FIRST), 403)
  })

  test('an equal config that is pushed again with a bad key is refused, and the old key stays', async (t) => {
    const { control, node, secretFile, config } = await joined(t)
    writeFileSync(secretFile, 'short')
    control.assign(config('v1'))
    await control.until('a refusal', () =>
      control.said.some(({ body }) => /is too short for a key/.test(JSON.stringify(body))),
    )
    assert.equal(await statusOf(node.port, FIRST), 200)
  })

  test('run takes a new key at SIGHUP', async (t) => {
    const { node, secretFile } = await joined(t)
    replace(secretFile, SECOND)
    const from = node.log.length
    process.kill(node.pid, 'SIGHUP')
    await until(
      () => /serves as it was confirmed/.test(node.log.slice(from)),
      `the end in ${node.log}`,
    )
    assert.equal(await statusOf(node.port, SECOND), 200)
    assert.equal(await statusOf(node.port, FIRST), 403)
  })
})
