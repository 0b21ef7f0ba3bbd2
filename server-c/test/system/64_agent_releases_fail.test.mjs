// SPDX-License-Identifier: MIT
// What goes wrong while a node gets a release: it serves on what it has, says why, and goes on where it was.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { servingFarm } from '../support/serving-farm.mjs'
import { onSmallDisk, whyNoSmallDisk } from '../support/small-disk.mjs'

async function farm(t) {
  const { control, node, serving } = await servingFarm(t)
  await serving('before')
  const { releases } = control
  const assign = (www, overrides = {}) => {
    const config = { ...node.config('r'), ...overrides }
    const { root: _, ...site } = config.sites[0]
    config.sites[0] = { ...site, release: 'www' }
    return control.assign(config, {}, undefined, www && [www]).generation
  }
  const nackOf = async (generation) => {
    await control.until('nack', () => control.of('nack', generation).length > 0)
    return control.of('nack', generation)[0].body
  }
  const refused = async (www, code, message, overrides) => {
    const nack = await nackOf(assign(www, overrides))
    assert.equal(nack.code, code)
    assert.match(nack.message, message)
    assert.equal(await node.version(), 'before')
    const trees = join(node.state, 'releases/trees')
    assert.deepEqual(readdirSync(trees), [])
  }
  const text = async () => (await fetch(`http://127.0.0.1:${node.port}/`)).text()
  return { control, node, releases, assign, refused, nackOf, text }
}

describe('a release that does not come', { concurrency: 3 }, () => {
  test('a cut connection goes on where it broke off', async (t) => {
    const { control, node, releases, assign, text } = await farm(t)
    const large = randomBytes(300_000)
    const www = releases.keep('www', { 'index.html': large.toString('hex') })
    let cuts = 0
    releases.fault = ({ what }) =>
      what === 'contents' && cuts++ < 3 ? { cutAfterBytes: 150_000 } : undefined
    await node.untilConfirmed(assign(www))
    assert.equal(await text(), large.toString('hex'))
    const froms = releases.asked.filter(({ what }) => what === 'contents').map(({ from }) => from)
    assert.equal(froms[0], 0)
    assert.ok(
      froms.length === 4 && froms.every((from, i) => i === 0 || from > froms[i - 1]),
      `${froms}`,
    )
    assert.deepEqual(control.of('nack'), [])
  })

  test('of many, what came whole before a cut is not asked for again', async (t) => {
    const { node, releases, assign } = await farm(t)
    const files = {}
    for (let i = 0; i < 100; i++) files[`f${i}`] = `${i}`.padEnd(1000, '.')
    let cuts = 0
    releases.fault = ({ what }) =>
      what === 'contents' && cuts++ < 1 ? { cutAfterBytes: 50_500 } : undefined
    await node.untilConfirmed(assign(releases.keep('www', files)))
    const counts = releases.asked
      .filter(({ what }) => what === 'contents')
      .map((one) => one.digests.length)
    assert.deepEqual(counts, [100, 50])
  })

  test('wrong bytes, a missing content, and what is no manifest are refused', async (t) => {
    const { releases, refused } = await farm(t)
    const lied = releases.keep('www', { 'img/a.svg': 'right' })
    for (const [digest, bytes] of releases.contents) {
      if (`${bytes}` === 'right') releases.contents.set(digest, Buffer.from('wrong'))
    }
    await refused(
      lied,
      'release_content',
      /version 1 of the release "www": img\/a.svg: the bytes that came have another SHA-256/,
    )
    const gone = releases.keep('www', { 'index.html': 'gone' })
    for (const [digest, bytes] of releases.contents) {
      if (`${bytes}` === 'gone') releases.contents.delete(digest)
    }
    await refused(gone, 'release_content', /has it not/)
    const sha = 'a'.repeat(64)
    const hostile = [
      `{"mode":"644","path":"../../etc/cron.d/x","sha256":"${sha}","size":1,"type":"file"}\n`,
      `{"path":"a","target":"/etc","type":"link"}\n`,
      `{"path":"a","target":"..","type":"link"}\n`,
      `{"path":"a","target":"b","type":"link"}\n{"mode":"644","path":"a/passwd","sha256":"${sha}","size":1,"type":"file"}\n`,
      'x'.repeat(100_000),
      '{}\n',
    ]
    for (const text of hostile) {
      await refused(
        releases.keepManifest('www', text),
        'release_content',
        /line \d of the manifest/,
      )
    }
    await refused(
      null,
      'release_content',
      /names the release "www", and no version of it is assigned/,
    )
  })

  test('what is too much for the setting is refused with figures', async (t) => {
    const { releases, refused } = await farm(t)
    const www = releases.keep('www', { big: randomBytes(3 << 20) })
    await refused(www, 'resource_limit', /3\.0 MiB more do not fit: .*storeMaxBytes is 2\.0 MiB/, {
      releases: { storeMaxBytes: 2 << 20 },
    })
  })

  test('a full disk refuses it with figures, and what serves goes on', {
    skip: whyNoSmallDisk,
  }, async (t) => {
    const { control, node, releases, assign, nackOf, text } = await farm(t)
    await node.stop()
    // 64 MiB of any disk are left free.
    node.start({}, { wrap: onSmallDisk(join(node.state, 'releases'), 72) })
    await node.untilVersion('before')
    const small = { 'index.html': 'small' }
    await node.untilConfirmed(assign(releases.keep('www', small)))
    const www = releases.keep('www', { ...small, big: randomBytes(9 << 20) })
    const { code, message } = await nackOf(assign(www))
    assert.equal(code, 'resource_limit')
    assert.match(
      message,
      /9\.0 MiB more do not fit: the state folder's disk has \d+\.\d MiB free, of which 64/,
    )
    assert.equal(await text(), 'small')
    const fits = releases.keep('www', { ...small, big: randomBytes(5 << 20) })
    await node.untilConfirmed(assign(fits))
    assert.equal(control.of('nack').length, 1)
  })

  test('a disk that fills up meanwhile refuses it, too', { skip: whyNoSmallDisk }, async (t) => {
    const { node, releases, assign, nackOf, text } = await farm(t)
    await node.stop()
    node.start({}, { wrap: onSmallDisk(join(node.state, 'releases'), 72) })
    await node.untilVersion('before')
    const filling = join(`/proc/${node.servingPid}/root`, node.state, 'releases/filling')
    const fill = () => {
      const bytes = Buffer.alloc(1 << 20)
      try {
        for (;;) appendFileSync(filling, bytes)
      } catch (error) {
        assert.equal(error.code, 'ENOSPC')
      }
    }
    releases.fault = ({ what }) => (what === 'contents' ? fill() : undefined)
    const www = releases.keep('www', { 'index.html': 'whole', big: randomBytes(5 << 20) })
    const { code, message } = await nackOf(assign(www))
    assert.equal(code, 'resource_limit')
    assert.match(message, /^version 1 of the release "www": .*: the state folder's disk is full$/)
    assert.equal(await node.version(), 'before')
    releases.fault = () => undefined
    rmSync(filling)
    await node.untilConfirmed(assign(www))
    assert.equal(await text(), 'whole')
  })

  test('after kill -9 a large content goes on where it was', async (t) => {
    const { control, node, releases, assign, text } = await farm(t)
    const large = randomBytes(2 << 20).toString('hex')
    const contents = () => releases.asked.filter(({ what }) => what === 'contents')
    releases.fault = ({ what }) => {
      if (what !== 'contents') return undefined
      return contents().length === 1 ? { cutAfterBytes: 3 << 20 } : { status: 503 }
    }
    const generation = assign(releases.keep('www', { 'index.html': large }))
    await control.until('the second try', () => contents().length > 1)
    const { from } = contents()[1]
    assert.ok(from > 1 << 20, `${from} bytes came`)
    await node.stop('SIGKILL')
    releases.asked = []
    releases.fault = () => undefined
    node.start()
    await node.untilConfirmed(generation)
    assert.deepEqual(
      contents().map((asked) => asked.from),
      [from],
    )
    assert.equal(await text(), large)
  })

  test('comes as fast as the setting allows, and no faster', async (t) => {
    const { control, node, releases, assign } = await farm(t)
    const bytesPerSecond = 256 << 10
    const burstBytes = 128 << 10
    const large = randomBytes(512 << 10)
    const www = releases.keep('www', { large })
    let beganMs
    releases.fault = ({ what }) => {
      if (what === 'contents') beganMs ??= performance.now()
    }
    const generation = assign(www, { releases: { maxBytesPerSecond: bytesPerSecond } })
    await control.until('it stands', () => control.of('ack', generation).length > 0)
    // However slow the machine is, it can take longer only.
    const seconds = (performance.now() - beganMs) / 1000
    const least = (large.length - burstBytes) / bytesPerSecond
    assert.ok(seconds >= least, `${seconds} s for what takes ${least} s`)
    await node.untilConfirmed(generation)
  })

  test('a control plane that has none for now is asked again, then it says so', async (t) => {
    const { control, node, releases, assign, nackOf } = await farm(t)
    releases.fault = () => ({ status: 503 })
    const www = releases.keep('www', { 'index.html': 'late' })
    const generation = assign(www)
    await control.until('some tries', () => releases.asked.length >= 3)
    const fetching = control
      .of('report')
      .map(({ body }) => body.fetching)
      .findLast(Boolean)
    assert.equal(fetching?.manifestSha256, www.manifestSha256)
    assert.equal((await nackOf(generation)).code, 'content_missing')
    assert.equal(await node.version(), 'before')
    releases.fault = () => undefined
    await node.untilConfirmed(assign(www))
  })

  test('kill -9 at any step, and the next start goes on', async (t) => {
    const { control, node, releases, assign, text } = await farm(t)
    const files = { 'index.html': 'whole' }
    for (let i = 0; i < 1500; i++) files[`d${i % 30}/f${i}`] = `file ${i}`
    const www = releases.keep('www', files)
    const generation = assign(www)
    for (let kills = 0; kills < 4; kills++) {
      const before = releases.asked.length
      await control.until(
        'a request',
        () => releases.asked.length > before || control.of('ack', generation).length > 0,
      )
      await node.stop('SIGKILL')
      node.start()
      await node.untilVersion(node.confirmed().generation === generation ? 'r' : 'before')
    }
    await node.untilVersion('r')
    assert.equal(await text(), 'whole')
    const left = readdirSync(join(node.state, 'releases'), { recursive: true })
    assert.deepEqual(
      left.filter((name) => /\.(new|old)$/.test(name)),
      [],
    )
    assert.equal(readdirSync(join(node.state, 'releases/trees', www.manifestSha256)).length, 31)
  })
})
