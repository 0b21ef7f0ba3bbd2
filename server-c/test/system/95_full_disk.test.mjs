// SPDX-License-Identifier: MIT
// A disk without room for another byte of log, in a file system of the node's own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { OUTSIDE, RawClient, request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const DISK_BYTES = 1 << 20 // room for all that waits in the log's ring

/** Runs what follows where `folder` is a small disk, that nobody else sees and that ends with it. */
function onSmallDisk(folder) {
  const unshare = ['unshare', process.getuid() === 0 ? '-m' : '-rm']
  const script = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && exec "$@"`
  return [...unshare, 'sh', '-c', script, folder]
}

const [tryIt, ...itsArguments] = onSmallDisk('/tmp')
const refused = spawnSync(tryIt, [...itsArguments, 'true'], { encoding: 'utf8' })
const skip = refused.status !== 0 && `can't mount a small disk: ${refused.stderr || refused.error}`

const lines = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

/** Writes until the disk is full; returns what to remove to make room. */
function fill(folder) {
  const path = join(folder, 'filler')
  for (let size = DISK_BYTES; size > 0; size >>= 1)
    for (;;) {
      try {
        writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
      } catch (error) {
        assert.equal(error.code, 'ENOSPC')
        break
      }
    }
  return path
}

test('full, nobody waits; with room again, whole lines follow', { skip }, async (t) => {
  const folder = join(tempFolder(t), 'disk')
  mkdirSync(folder)
  const node = await startNode(t, {
    files: { 'a.txt': 'alpha' },
    wrap: onSmallDisk(folder),
    config: { workers: 1, accessLog: { path: join(folder, 'access.log'), format: 'combined' } },
  })
  const disk = join(`/proc/${node.child.pid}/root`, folder)
  const access = join(disk, 'access.log')
  const client = await RawClient.connect(node.port)
  const ask = async (tag, count) => {
    for (let i = 0; i < count; i++) {
      client.send(request(`/a.txt?${tag}`, { lines: [`User-Agent: ${'x'.repeat(900)}`] }))
      assert.equal((await client.response()).status, 200)
    }
  }
  await ask('before', 5)
  await until(() => lines(access).length === 5, 'the first lines')

  const filler = fill(disk)
  const witness = await Witness.start(node.port)
  await until(async () => {
    await ask('full', 50)
    return (await node.counter('logDropped')) > 50
  }, 'lines are dropped')
  await witness.stop(t)

  rmSync(filler)
  await until(async () => {
    await ask('after', 1)
    return lines(access).some((line) => line.includes('?after'))
  }, 'new lines')
  for (const line of lines(access)) {
    assert.ok(line.startsWith(`${OUTSIDE} - - [`), line)
    assert.match(line, /^\S+ - - \[[^\]]+\] "GET \/a\.txt[^"]*" 200 \d+ "-" "(x{900}|-)"$/)
  }
  client.close()
})

test('the error log full, too: it starts, reloads and stops', { skip }, async (t) => {
  const folder = join(tempFolder(t), 'disk')
  mkdirSync(folder)
  const node = await startNode(t, { files: { 'a.txt': 'alpha' }, wrap: onSmallDisk(folder) })
  const disk = join(`/proc/${node.child.pid}/root`, folder)
  const error = join(disk, 'error.log')
  const withLog = (level) => ({
    ...node.config,
    errorLog: { path: join(folder, 'error.log'), level },
  })
  node.writeConfig(withLog('info'))
  node.child.kill('SIGHUP')
  await until(() => lines(error).some((line) => /generation 2 serves/.test(line)), 'generation 2')
  fill(disk)
  const witness = await Witness.start(node.port)
  node.writeConfig(withLog('debug'))
  node.child.kill('SIGHUP')
  await until(async () => (await node.status()).effective.generation === 3, 'generation 3')
  await witness.stop(t)
  assert.equal(await node.stop(), 0)
})
