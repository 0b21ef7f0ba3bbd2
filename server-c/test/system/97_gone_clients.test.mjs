// SPDX-License-Identifier: MIT
// Clients that go while their request waits for a disk: no work is left to be done for them, and one
// that has only ended its own side is answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { badDisk } from '../support/bad-disk.mjs'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const MANY = 100 // of 100 ms each, with one thread
const AT_MOST_MS = 4000
const slowFiles = (word, bytes) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`${word}-${i}.bin`, bytes]))
const config = {
  workers: 1,
  statCache: { ttlMillis: 60_000 },
  io: { readThreads: 1, statThreads: 1, timeoutSeconds: 60 },
}

/** How long `act` took, in ms. */
async function time(act) {
  const start = Date.now()
  await act()
  return Date.now() - start
}

/** Clients that wait for as many files. */
async function crowd(port, word) {
  const clients = await Promise.all(Array.from({ length: MANY }, () => RawClient.connect(port)))
  for (const [i, client] of clients.entries()) client.send(request(`/${word}-${i}.bin`))
  return clients
}

const lane = async (node, name) => {
  const { gauges } = await node.status()
  return gauges[name]
}

for (const [what, word, bytes, name] of [
  ['look-ups', 'slow-open', Buffer.from('x'), 'statQueue'],
  ['first reads of small files', 'slow-read', Buffer.alloc(1000, 'x'), 'readQueue'],
  ['reads of large files', 'slow-read', Buffer.alloc(200_000, 'x'), 'readQueue'],
]) {
  test(`${what} for clients that have reset are left out, and a stop is soon`, async (t) => {
    const files = slowFiles(word, bytes)
    const node = await startNode(t, { files, config, wrap: badDisk() })
    const clients = await crowd(node.port, word)
    await until(async () => (await lane(node, name)) > MANY / 2, 'they wait')
    const took = await time(async () => {
      for (const client of clients) client.socket.resetAndDestroy()
      await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
      await until(async () => (await lane(node, name)) === 0, 'the lane has nothing to do')
    })
    assert.ok(took < AT_MOST_MS, `${took} ms`)
    assert.equal((await get(node.port, `/${word}-0.bin`)).body.length, bytes.length)
    for (const client of await crowd(node.port, word)) client.socket.resetAndDestroy()
    assert.ok((await time(() => node.stop())) < AT_MOST_MS)
  })
}

for (const path of ['/hang-open.txt', '/hang-read.txt', '/hang-late.bin']) {
  test(`${path}: a reset is noticed while the disk hangs, half an end is none`, async (t) => {
    const { wrap, release } = hungDisk(t)
    const files = {
      'hang-open.txt': 'late',
      'hang-read.txt': 'late',
      'hang-late.bin': Buffer.alloc(3 << 20, 'x'),
    }
    const node = await startNode(t, { files, config, wrap })
    const gone = await RawClient.connect(node.port)
    const polite = await RawClient.connect(node.port, { allowHalfOpen: true })
    gone.send(request(path))
    polite.send(request(path))
    polite.socket.end()
    await sleep(600)
    gone.socket.resetAndDestroy()
    await until(async () => (await node.status()).gauges.openConnections === 1, 'one is gone', 3000)
    await sleep(600)
    await release()
    const answer = await polite.response()
    assert.deepEqual([answer.status, answer.complete], [200, true])
    await polite.closed()
  })
}
