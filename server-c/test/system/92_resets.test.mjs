// SPDX-License-Identifier: MIT
// A reset in every state of a connection (conn.c's table), many at a time: nothing stays behind,
// and one beside them is served meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badDisk } from '../support/bad-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { descriptors } from '../support/process.mjs'
import { RawClient, request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const AT_ONCE = 30
const ROUNDS = 4
const SLOW_FILES = 8

const slow = (kind) =>
  Object.fromEntries(
    Array.from({ length: SLOW_FILES }, (_, i) => [`${kind}-${i}.bin`, Buffer.alloc(200_000, 'z')]),
  )
const files = {
  'a.txt': 'alpha',
  'big.bin': Buffer.alloc(32 << 20, 'x'),
  ...slow('slow-open'),
  ...slow('slow-read'),
}
const post = (length) => request('/a.txt', { method: 'POST', lines: [`Content-Length: ${length}`] })
const answered = (client) => client.response()
const started = (client) => until(() => client.received > 0, 'the first bytes')

// What each sends, and what it waits for before it resets.
const states = {
  'just accepted': [() => ''],
  'reading a head': [() => 'GET /a.txt HTTP/1.1\r\nHost'],
  'finding a file': [(i) => request(`/slow-open-${i % SLOW_FILES}.bin`)],
  'reading from the disk': [(i) => request(`/slow-read-${i % SLOW_FILES}.bin`)],
  'sending a big file': [() => request('/big.bin'), started],
  'sending pipelined answers': [() => request('/a.txt').repeat(500)],
  'skipping a body': [() => `${post(60_000)}${'x'.repeat(1000)}`, answered],
  'lingering after a long body': [() => `${post(60_000_000)}${'x'.repeat(1000)}`, answered],
  'idle between requests': [() => request('/a.txt'), answered],
}

async function storm(port, [bytes, wait = async () => {}]) {
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => RawClient.connect(port)))
  await Promise.all(
    clients.map(async (client, i) => {
      client.send(bytes(i))
      await wait(client)
      client.socket.resetAndDestroy()
    }),
  )
}

test('resets in every state leave nothing behind, and nobody else waits', async (t) => {
  // A file that was found stays found: the witness is not to wait behind the slow ones.
  const config = { statCache: { ttlMillis: 60_000 }, io: { readThreads: 8, statThreads: 8 } }
  const node = await startNode(t, { files, wrap: badDisk(), config })
  const witness = await Witness.start(node.port)
  const before = descriptors(node.child.pid)
  for (const [state, what] of Object.entries(states)) {
    for (let round = 0; round < ROUNDS; round++) await storm(node.port, what)
    await until(
      async () => (await node.status()).gauges.openConnections <= 2,
      `those reset while ${state} are gone`,
    )
  }
  await witness.stop(t)
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
  // Files that were found may stay open for a while, connections may not.
  const left = descriptors(node.child.pid) - before
  assert.ok(left <= 2 * Object.keys(files).length, `${left} descriptors more than before`)
})
