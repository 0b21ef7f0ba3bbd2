// SPDX-License-Identifier: MIT
// Single requests that the control plane is told of: some of all while somebody looks, and always the slowest.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const LONG_MS = 60_000
const LARGE = 30_000_000 // more than any socket takes at once

/** A node that serves with these options of samples, and what it said of single requests. */
async function sampling(t, options) {
  const { control, node } = await joinNodeFor(t)
  const withSamples = (samples, version) => ({ ...node.config(version), workers: 2, samples })
  const batches = () => control.of('samples').map(({ body }) => body)
  const assign = async (samples, version) => {
    const { generation } = control.assign(withSamples(samples, version))
    await node.untilVersion(version)
    await node.untilConfirmed(generation)
  }
  node.start()
  await assign(options, 'v1')
  return {
    control,
    node,
    assign,
    batches,
    samples: () => batches().flatMap((body) => body.samples),
    seen: () => batches().reduce((sum, body) => sum + body.seen, 0),
    slow: () => control.windows.flatMap(({ window }) => window.slow ?? []),
    /** Somebody looks from now on, until `stopLooking`. */
    async look() {
      control.said.length = 0
      control.samplesForMs = LONG_MS
      control.lookFor(LONG_MS)
      await control.until('samples', () => control.of('samples').length > 0)
    },
    async stopLooking() {
      control.samplesForMs = 0
      const said = control.of('samples').length
      await control.until('the last samples', () => control.of('samples').length > said)
    },
  }
}

describe('single requests', { concurrency: 4 }, () => {
  test('nothing of single requests is said while nobody looks', async (t) => {
    const { control, node, slow } = await sampling(t, { slowerThanMillis: 0 })
    for (let i = 0; i < 20; i++) await get(node.port, '/index.html')
    const reports = control.of('report').length
    await control.until('reports', () => control.of('report').length > reports + 3)
    assert.equal(control.of('samples').length, 0)
    assert.deepEqual(slow(), [])
  })

  test('while somebody looks each request is said once, with path and stages, without its query', async (t) => {
    const { control, node, batches, samples, seen, look, stopLooking } = await sampling(t, {
      slowerThanMillis: 0,
    })
    await look()
    const from = samples().length
    for (const target of ['/index.html?token=secret', '/nope', '/%2e%2e/x', '/a%zz']) {
      await get(node.port, target)
    }
    await control.until('all of them', () => samples().length - from >= 4)
    await stopLooking()
    assert.equal(seen(), samples().length)
    assert.doesNotMatch(JSON.stringify(samples()), /secret|token|127\.0\.0\.1/)
    const said = new Map(samples().map((sample) => [sample.path, sample]))
    const found = said.get('/index.html')
    assert.equal(found.status, 200)
    assert.equal(found.protocol, 'HTTP/1.1')
    assert.equal(found.reason, null)
    assert.equal(found.generation, control.assignment.generation)
    const { write, firstByte, total } = found.stageSeconds
    assert.ok(Math.abs(write + firstByte - total) < 1e-9)
    assert.equal(said.get('/nope').status, 404)
    // What can't be decoded could not be masked either.
    assert.equal(said.get('').status, 400)
    for (const { uptimeUs, samples: some } of batches()) {
      for (const { startedUs } of some) assert.ok(startedUs > 0 && startedUs < uptimeUs)
    }
  })

  test('it ends when the control plane says so, and by itself when it says nothing more', async (t) => {
    const { control, look, stopLooking } = await sampling(t, { slowerThanMillis: 0 })
    await look()
    await stopLooking()
    const untilSurelyEnded = async () => {
      const reports = control.of('report').length
      await control.until('reports', () => control.of('report').length > reports + 10)
    }
    const said = control.of('samples').length
    await untilSurelyEnded()
    assert.equal(control.of('samples').length, said)
    // Shorter than from one message to the next.
    control.samplesForMs = 300
    control.lookFor(LONG_MS)
    await control.until('samples', () => control.of('samples').length > said)
    await untilSurelyEnded()
    assert.equal(control.of('samples').length, said + 1)
  })

  test('a node that serves thousands a second sends a hundred of them', async (t) => {
    const { control, node, batches, seen, look, stopLooking } = await sampling(t, {
      slowerThanMillis: 0,
    })
    await look()
    const clients = await Promise.all(Array.from({ length: 4 }, () => RawClient.connect(node.port)))
    const many = request('/index.html').toString().repeat(200)
    // A busy machine may take so long for them that they are said in many small parts: then there are more.
    const isCut = ({ seen, samples }) => seen > 100 && samples.length === 100
    for (let round = 0; round < 20 && !batches().some(isCut); round++) {
      const begun = seen()
      await Promise.all(
        clients.map(async (client) => {
          client.send(many)
          for (let i = 0; i < 200; i++) await client.response()
        }),
      )
      await control.until('all seen', () => seen() - begun >= 800)
    }
    for (const client of clients) client.close()
    await stopLooking()
    assert.ok(batches().every((body) => body.samples.length <= 100))
    assert.ok(
      batches().some(isCut),
      batches()
        .map((body) => `${body.samples.length} of ${body.seen}`)
        .join(),
    )
  })

  test('what the config hides is not said, from the reload on; nor is what does not fit or can be no text', async (t) => {
    const { control, node, assign, samples, look, stopLooking } = await sampling(t, {
      slowerThanMillis: 0,
    })
    await assign({ slowerThanMillis: 0, maskPaths: ['/users/*', '/private/**'] }, 'v2')
    await look()
    const targets = [
      '/users/ana/photos',
      '/users/%61na//x',
      '//users/ana',
      '/private/ana/1',
      '/other/users/ben',
      `/long/${'a'.repeat(7000)}`,
      '/odd/%0a%1b%22%5c%ff',
      // A letter of two bytes at the cut, whichever side of it is odd.
      `/w/${'%c3%a4'.repeat(200)}`,
      `/ww/${'%c3%a4'.repeat(200)}`,
    ]
    for (const target of targets) await get(node.port, target)
    await control.until('all of them', () => samples().length >= targets.length)
    await stopLooking()
    const paths = samples().map(({ path }) => path)
    assert.doesNotMatch(paths.join('\n'), /ana/)
    assert.ok(paths.includes('/users/***/photos'))
    assert.ok(paths.includes('/private/***'))
    assert.ok(paths.includes('/other/users/ben'))
    assert.ok(paths.some((path) => /^\/long\/a{180,}…$/.test(path)))
    const cut = paths.filter((path) => /^\/w+\/ä{80,}…$/.test(path))
    assert.equal(cut.length, 2, JSON.stringify(paths.filter((path) => path.startsWith('/w'))))
    // No schema was violated: leave() asks.
    for (const path of paths) assert.doesNotMatch(path, /\p{Cc}/u)
  })

  test('the slowest of each window are said with it, also while nobody looks', async (t) => {
    const { control, node, slow } = await sampling(t, {
      slowerThanMillis: 50,
      maskPaths: ['/users/*'],
    })
    mkdirSync(join(node.root, 'users'))
    writeFileSync(join(node.root, 'users/ana.bin'), Buffer.alloc(LARGE))
    const clients = await Promise.all(
      Array.from({ length: 12 }, () => RawClient.connect(node.port)),
    )
    for (const client of clients) {
      client.socket.pause()
      client.send(request('/users/ana.bin?secret'))
    }
    // A window is longer than what is slow here.
    const reports = control.of('report').length
    await control.until('two windows', () => control.of('report').length > reports + 2)
    for (const client of clients) client.close()
    const isTheirs = ({ path }) => path === '/users/***'
    await control.until('slow ones', () => slow().some(isTheirs))
    // On a busy machine a look at its version may have been slow as well.
    for (const one of slow().filter(({ path }) => path !== '/')) {
      assert.ok(isTheirs(one), one.path)
      assert.equal(one.reason, 'clientGone')
      assert.ok(one.stageSeconds.total >= 0.05)
    }
    assert.ok(control.windows.every(({ window }) => (window.slow?.length ?? 0) <= 8))
  })
})
