// SPDX-License-Identifier: MIT
// Of the manifest of a new version a node gets what is other than in one that it holds, and the whole one where that goes wrong.
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { read, releasedFarm } from '../support/released-farm.mjs'

const FILES = 300
/** The index and one file of each version are its own. */
const filesOf = (version) => ({
  ...Object.fromEntries([...Array(FILES).keys()].map((i) => [`f${i}`, `same ${i}`])),
  'index.html': `version ${version}`,
  [`f${version}`]: `of ${version}`,
})
/** What is wrong is found by who uses it, and by nobody else. */
const UNCOMPARED = { releases: { scrubBytesPerSecond: 0 } }
const ofManifests = ({ asked }) => asked.filter(({ what }) => what !== 'contents')
const kinds = (releases) => ofManifests(releases).map(({ what }) => what)

async function serving(t, version = 1, overrides = {}) {
  const farm = await releasedFarm(t)
  const first = farm.releases.keep('www', filesOf(version))
  await farm.serve(first, 'r', overrides)
  farm.releases.asked = []
  const contentPath = ({ manifestSha256: digest }) =>
    join(farm.node.state, 'releases/contents', digest.slice(0, 2), digest)
  return { ...farm, first, contentPath }
}

describe('manifests of releases', { concurrency: 3 }, () => {
  test('come as what is other, from the newest version that is held', async (t) => {
    const { control, node, releases, serve, first, stored } = await serving(t)
    const second = releases.keep('www', filesOf(2))
    const third = releases.keep('www', filesOf(3))
    await serve(second)
    assert.deepEqual(kinds(releases), ['deltas'])
    assert.equal(ofManifests(releases)[0].base, first.manifestSha256)
    assert.equal((await read(node, '/')).text, 'version 2')
    releases.asked = []
    await serve(third)
    assert.deepEqual(
      ofManifests(releases).map(({ what, base }) => [what, base]),
      [['deltas', second.manifestSha256]],
    )
    assert.equal((await read(node, '/f2')).text, 'same 2')
    assert.equal((await read(node, '/f3')).text, 'of 3')
    assert.ok(stored().includes(third.manifestSha256))
    assert.deepEqual(control.of('nack'), [])
  })

  test('come so after a restart, and after ten versions that the node was away for', async (t) => {
    const { node, releases, serve, first } = await serving(t)
    await node.stop()
    for (let version = 2; version < 11; version++) releases.keep('www', filesOf(version))
    const eleventh = releases.keep('www', filesOf(11))
    await serve(eleventh)
    assert.deepEqual(
      ofManifests(releases).map(({ what, base }) => [what, base]),
      [['deltas', first.manifestSha256]],
    )
    assert.equal((await read(node, '/')).text, 'version 11')
    assert.equal((await read(node, '/f1')).text, 'same 1')
  })

  test('come so for versions that are to be held ahead, and not from another release', async (t) => {
    const { control, releases, serve, first } = await serving(t)
    const [second, third] = [releases.keep('www', filesOf(2)), releases.keep('www', filesOf(3))]
    const other = releases.keep('docs', filesOf(4))
    for (const [held, base] of [
      [[second], first],
      [[second, third], second],
    ]) {
      releases.asked = []
      control.hold(...held)
      const { manifestSha256 } = held.at(-1)
      await control.until('held', () => control.heldAhead()[manifestSha256] === 'held')
      assert.deepEqual(
        ofManifests(releases).map((asked) => [asked.what, asked.base]),
        [['deltas', base.manifestSha256]],
      )
    }
    releases.asked = []
    control.hold(other, second, third)
    await control.until('held', () => control.heldAhead()[other.manifestSha256] === 'held')
    assert.deepEqual(kinds(releases), ['manifests'])
    releases.asked = []
    await serve(third)
    assert.deepEqual(releases.asked, [])
  })

  test('go on where the difference broke off', async (t) => {
    const { node, releases, serve } = await serving(t)
    let parts = 0
    releases.fault = ({ what }) => (what === 'deltas' && parts++ < 3 ? { cutAfterBytes: 200 } : {})
    await serve(releases.keep('www', filesOf(2)))
    assert.deepEqual(
      ofManifests(releases).map(({ what, from }) => [what, from]),
      [0, 200, 400, 600].map((from) => ['deltas', from]),
    )
    assert.equal((await read(node, '/f2')).text, 'of 2')
  })

  for (const [what, fault] of [
    ['is not to be had', { status: 404 }],
    ['is another one', { delta: Buffer.from('=300\n') }],
    ['names too many lines', { delta: Buffer.from('=9000000\n') }],
    ['is no difference', { delta: Buffer.from('<html>') }],
  ]) {
    test(`come whole where the difference ${what}`, async (t) => {
      const { control, node, releases, serve } = await serving(t)
      releases.fault = (asked) => (asked.what === 'deltas' ? fault : {})
      await serve(releases.keep('www', filesOf(2)))
      assert.deepEqual(kinds(releases), ['deltas', 'manifests'])
      assert.equal((await read(node, '/')).text, 'version 2')
      assert.deepEqual(control.of('nack'), [])
    })
  }

  test('come whole where asking for the difference fails again and again', async (t) => {
    const { node, releases, serve } = await serving(t)
    releases.fault = ({ what }) => (what === 'deltas' ? { status: 500 } : {})
    await serve(releases.keep('www', filesOf(2)))
    assert.deepEqual(kinds(releases), ['deltas', 'deltas', 'deltas', 'manifests'])
    assert.equal((await read(node, '/')).text, 'version 2')
  })

  test('come whole where the earlier one is gone', async (t) => {
    const { node, releases, serve, first, contentPath } = await serving(t)
    rmSync(contentPath(first))
    await serve(releases.keep('www', filesOf(2)))
    assert.deepEqual(kinds(releases), ['manifests'])
    assert.equal((await read(node, '/')).text, 'version 2')
  })

  test('come whole where the disk has changed the earlier one, which is thrown away', async (t) => {
    const farm = await serving(t, 1, UNCOMPARED)
    const { control, node, releases, first, contentPath, stored } = farm
    const serve = (release) => farm.serve(release, 'r', UNCOMPARED)
    const path = contentPath(first)
    const bytes = readFileSync(path)
    bytes[20] ^= 1
    chmodSync(path, 0o644)
    writeFileSync(path, bytes)
    chmodSync(path, 0o444)
    await serve(releases.keep('www', filesOf(2)))
    assert.deepEqual(kinds(releases), ['deltas', 'manifests'])
    assert.match(node.log, /comes whole.*the earlier one has other bytes on the disk/)
    assert.equal((await read(node, '/')).text, 'version 2')
    await control.until('the marked one went', () => !stored().includes(first.manifestSha256))
    await serve(releases.keep('www', filesOf(3)))
    assert.equal((await read(node, '/')).text, 'version 3')
    assert.match(node.log, /no file is of it, and it is thrown away/)
    const asked = releases.asked.flatMap(({ digests }) => digests)
    assert.ok(!asked.includes(first.manifestSha256), 'nobody asks for it as a content')
  })
})
