// SPDX-License-Identifier: MIT
// Many that ask and take no answer, and one beside them that is not made to wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, goneOf } from '../support/many-clients.mjs'
import { startNode, until } from '../support/node.mjs'
import { rssBytes } from '../support/process.mjs'
import { request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const BIG_BYTES = 32 << 20
const files = {
  'a.txt': 'alpha',
  'page.txt': 'p'.repeat(50_000),
  'big.bin': Buffer.alloc(BIG_BYTES, 'x'),
}
const CUT_OFF_MS = 10_000 // the limit below is 2 s, the machine may be slow
// Asking, too, may take a slow machine its time.
const slowToRead = { headerSeconds: 60, writeSeconds: 2, connections: 1000 }

test('100 that read nothing of a big file are cut off and cost no memory', async (t) => {
  const node = await startNode(t, { files, config: { limits: slowToRead } })
  const witness = await Witness.start(node.port)
  const before = rssBytes(node.child.pid)
  const clients = await connect(node.port, 100)
  for (const client of clients) {
    client.socket.pause()
    client.send(request('/big.bin'))
  }
  let most = before
  await until(
    async () => {
      most = Math.max(most, rssBytes(node.child.pid))
      return (await node.counter('timeouts')) === 100
    },
    'all are cut off',
    CUT_OFF_MS,
  )
  await witness.stop(t)
  t.diagnostic(`${((most - before) / 1024) | 0} KiB more than before, at most`)
  assert.ok(most - before < BIG_BYTES, 'what nobody reads is kept in memory')
  await node.untilCounter('aborted', 100)
  await node.untilEnds('slowClient', 100)
  for (const client of clients) client.close()
  await goneOf(node, 0)
})

test('who asks without end and reads no answer is not listened to for ever', async (t) => {
  const config = { limits: { ...slowToRead, keepAliveRequests: 1_000_000 } }
  const node = await startNode(t, { files, config })
  const witness = await Witness.start(node.port)
  const before = rssBytes(node.child.pid)
  const clients = await connect(node.port, 20)
  const many = Buffer.from(request('/page.txt').repeat(25_000)) // 1 MB, and 1 GB of answers
  for (const client of clients) {
    client.socket.pause()
    client.send(many)
  }
  let most = before
  await until(
    async () => {
      most = Math.max(most, rssBytes(node.child.pid))
      return (await node.counter('timeouts')) === clients.length
    },
    'all are cut off',
    CUT_OFF_MS,
  )
  await witness.stop(t)
  t.diagnostic(`${((most - before) / 1024) | 0} KiB more than before, at most`)
  assert.ok(most - before < BIG_BYTES, 'what they ask is kept in memory')
  for (const client of clients) client.close()
  await goneOf(node, 0)
})
