// SPDX-License-Identifier: MIT
// Single requests that the control plane is told of: some of all while somebody looks, and always the slowest.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { joinNode } from '../support/joined-node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const LONG_MS = 60_000
const LARGE = 30_000_000 // more than any socket takes at once

let control
let node, leave
before(async () => {
  ;({ control, node, leave } = await joinNode())
  control.assign(withSamples({ slowerThanMillis: 0 }))
  node.start()
  await node.untilVersion('v1')
  await control.until('confirmed', () => control.of('confirm').length > 0)
})
after(() => leave())

const withSamples = (samples, version = 'v1') => ({ ...node.config(version), workers: 2, samples })
const batches = () => control.of('samples').map(({ body }) => body)
const samples = () => batches().flatMap((body) => body.samples)
const seen = () => batches().reduce((sum, body) => sum + body.seen, 0)
const slow = () => control.windows.flatMap(({ window }) => window.slow ?? [])

/** Somebody looks from now on, until `stopLooking`. */
async function look() {
  control.said.length = 0
  control.samplesForMs = LONG_MS
  control.lookFor(LONG_MS)
  await control.until('samples', () => control.of('samples').length > 0)
}
async function stopLooking() {
  control.samplesForMs = 0
  const said = control.of('samples').length
  await control.until('the last samples', () => control.of('samples').length > said)
}

test('nothing of single requests is said while nobody looks', async () => {
  for (let i = 0; i < 20; i++) await get(node.port, '/index.html')
  const reports = control.of('report').length
  await control.until('reports', () => control.of('report').length > reports + 3)
  assert.equal(control.of('samples').length, 0)
  assert.deepEqual(slow(), [])
})

test('while somebody looks each request is said once, with path and stages, without its query', async () => {
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

test('it ends when the control plane says so, and by itself when it says nothing more', async () => {
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

test('a node that serves thousands a second sends a hundred of them', async () => {
  await look()
  const clients = await Promise.all(Array.from({ length: 4 }, () => RawClient.connect(node.port)))
  const many = request('/index.html').toString().repeat(200)
  const begun = seen()
  await Promise.all(
    clients.map(async (client) => {
      client.send(many)
      for (let i = 0; i < 200; i++) await client.response()
      client.close()
    }),
  )
  await control.until('all seen', () => seen() - begun >= 800)
  await stopLooking()
  assert.ok(batches().every((body) => body.samples.length <= 100))
  assert.ok(
    batches().some((body) => body.seen > 100 && body.samples.length === 100),
    batches()
      .map((body) => `${body.samples.length} of ${body.seen}`)
      .join(),
  )
})

test('what the config hides is not said, from the reload on; nor is what does not fit or can be no text', async () => {
  control.assign(withSamples({ slowerThanMillis: 0, maskPaths: ['/users/*', '/private/**'] }, 'v2'))
  await node.untilVersion('v2')
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

test('the slowest of each window are said with it, also while nobody looks', async () => {
  control.assign(withSamples({ slowerThanMillis: 50, maskPaths: ['/users/*'] }, 'v3'))
  await node.untilVersion('v3')
  mkdirSync(join(node.root, 'users'))
  writeFileSync(join(node.root, 'users/ana.bin'), Buffer.alloc(LARGE))
  const clients = await Promise.all(Array.from({ length: 12 }, () => RawClient.connect(node.port)))
  for (const client of clients) {
    client.socket.pause()
    client.send(request('/users/ana.bin?secret'))
  }
  // A window is longer than what is slow here.
  const reports = control.of('report').length
  await control.until('two windows', () => control.of('report').length > reports + 2)
  for (const client of clients) client.close()
  await control.until('slow ones', () => slow().length > 0)
  for (const one of slow()) {
    assert.equal(one.path, '/users/***')
    assert.equal(one.reason, 'clientGone')
    assert.ok(one.stageSeconds.total >= 0.05)
  }
  assert.ok(control.windows.every(({ window }) => (window.slow?.length ?? 0) <= 8))
})
