// SPDX-License-Identifier: MIT
// What users of other servers report of times in their logs, tried on ours: time that was nobody's request, negative ones, zeros.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { get as getByHttp2, Http2Raw } from '../support/http2-raw.mjs'
import { startNode, until } from '../support/node.mjs'
import { RawClient, request } from '../support/raw.mjs'

const PAUSE_MS = 600
const PAUSE_SECONDS = PAUSE_MS / 1000
const files = { 'a.txt': 'alpha', large: Buffer.alloc(30_000_000) }
const start = (t) => startNode(t, { files, config: { samples: { everyRequests: 1 } } })

/** The newest first, when so many are over. */
const samplesWhen = (node, wanted) =>
  until(async () => {
    const answer = await (await node.admin('/samples')).json()
    return answer.matched >= wanted && answer.samples
  }, `${wanted} samples`)

/** Each part is some time, none of it more than the whole. */
function assertSound({ stageSeconds, ...rest }) {
  for (const [stage, seconds] of Object.entries(stageSeconds)) {
    assert.ok(seconds >= 0 && Number.isFinite(seconds), `${stage}: ${seconds}`)
  }
  const {
    total,
    firstByte = 0, // of a client that is gone before there is one
    write = 0,
    writeClient = 0,
    writeBuffer = 0,
    writeNetwork = 0,
  } = stageSeconds
  assert.ok(total > 0, JSON.stringify(rest))
  assert.ok(firstByte + write <= total + 1e-9, JSON.stringify(stageSeconds))
  assert.ok(writeClient + writeBuffer + writeNetwork <= write + 1e-9, JSON.stringify(stageSeconds))
}

test('the time between two requests of a connection is neither’s, and the quickest takes some', async (t) => {
  const node = await start(t)
  const client = await RawClient.connect(node.port)
  for (let i = 0; i < 3; i++) {
    client.send(request('/a.txt'))
    await client.response()
    await sleep(PAUSE_MS)
  }
  client.close()
  for (const sample of await samplesWhen(node, 3)) {
    assertSound(sample)
    assert.ok(sample.stageSeconds.total < PAUSE_SECONDS / 2, JSON.stringify(sample))
  }
})

test('nor is the time that a client takes to write its request', async (t) => {
  const node = await start(t)
  const client = await RawClient.connect(node.port)
  const head = request('/a.txt').toString()
  client.send(head.slice(0, 10))
  await sleep(PAUSE_MS)
  client.send(head.slice(10))
  await client.response()
  client.close()
  const [sample] = await samplesWhen(node, 1)
  assertSound(sample)
  assert.ok(sample.stageSeconds.total < PAUSE_SECONDS / 2, JSON.stringify(sample))
})

test('over HTTP/2 neither, of streams one after the other', async (t) => {
  const node = await start(t)
  const client = await Http2Raw.connect(node.port)
  for (const id of [1, 3, 5]) {
    client.send(getByHttp2(id, '/a.txt'))
    await client.end(id)
    await sleep(PAUSE_MS)
  }
  client.close()
  for (const sample of await samplesWhen(node, 3)) {
    assertSound(sample)
    assert.ok(sample.stageSeconds.total < PAUSE_SECONDS / 2, JSON.stringify(sample))
  }
})

test('of requests asked at once each has its own, which begins when the one before is answered at the latest', async (t) => {
  const node = await start(t)
  const client = await RawClient.connect(node.port)
  client.socket.pause()
  client.send(['/large', '/a.txt', '/a.txt'].map((path) => request(path)).join(''))
  await sleep(PAUSE_MS)
  client.socket.resume()
  for (let i = 0; i < 3; i++) await client.response()
  client.close()
  const samples = await samplesWhen(node, 3)
  for (const sample of samples) assertSound(sample)
  const long = samples.filter(({ stageSeconds }) => stageSeconds.total > PAUSE_SECONDS / 2)
  assert.equal(long.length, 1, JSON.stringify(samples))
})

test('a client that goes away in the middle leaves no negative time', async (t) => {
  const node = await start(t)
  for (const waitMs of [0, 1, 50]) {
    const client = await RawClient.connect(node.port)
    client.socket.pause()
    client.send(request('/large'))
    await sleep(waitMs)
    client.socket.resetAndDestroy()
  }
  const client = await RawClient.connect(node.port)
  client.send(request('/a.txt'))
  await client.response()
  client.close()
  for (const sample of await samplesWhen(node, 1)) assertSound(sample)
})
