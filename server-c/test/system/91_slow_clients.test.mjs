// SPDX-License-Identifier: MIT
// Hundreds that are slow on purpose, and one beside them that is not made to wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, goneOf } from '../support/many-clients.mjs'
import { startNode, until } from '../support/node.mjs'
import { request } from '../support/raw.mjs'
import { Witness } from '../support/witness.mjs'

const files = { 'a.txt': 'alpha' }
const TRICKLE_MS = 100
const limits = { headerSeconds: 2, writeSeconds: 2, connections: 1000 }

/** Has each of them send `drop` again and again until all have been cut off. */
async function trickle(clients, drop) {
  const timer = setInterval(() => {
    for (const client of clients) if (!client.ended) client.send(drop)
  }, TRICKLE_MS)
  try {
    await until(() => clients.every((client) => client.ended), 'the last is cut off')
  } finally {
    clearInterval(timer)
    for (const client of clients) client.close()
  }
}

test('300 heads that come drop by drop are cut off, and nobody else waits', async (t) => {
  const node = await startNode(t, { files, config: { limits } })
  const witness = await Witness.start(node.port)
  const clients = await connect(node.port, 300)
  for (const [i, client] of clients.entries())
    client.send(i % 2 ? 'GET /a.txt HTTP/1.1\r\nHost: a\r\nX: ' : 'GET /')
  await trickle(clients, 'x')
  await witness.stop(t)
  await until(async () => (await node.counter('timeouts')) > 0, 'time-outs are counted')
  await goneOf(node, 0)
})

test('an address that wants all connections gets its share, and nobody else waits', async (t) => {
  const config = { limits: { ...limits, connections: 100, connectionsPerAddress: 80 } }
  const node = await startNode(t, { files, config })
  const witness = await Witness.start(node.port)
  for (let round = 0; round < 2; round++) {
    const clients = await connect(node.port, 200, { localAddress: '127.0.0.2' })
    for (const client of clients) client.send('GET /a.txt HTTP/1.1\r\n')
    await trickle(clients, 'x')
  }
  assert.ok((await node.counter('refused')) >= 120)
  await witness.stop(t)
  await goneOf(node, 0)
})

test('200 bodies that come drop by drop are cut off, and nobody else waits', async (t) => {
  const node = await startNode(t, { files, config: { limits } })
  const witness = await Witness.start(node.port)
  const clients = []
  // A short body is read to its end for the sake of the connection, a long one is not.
  for (let i = 0; i < 200; i++) {
    const length = i % 2 ? 60_000 : 60_000_000
    // Two hundred connections may take longer to be made than a head may take to come.
    const [client] = await connect(node.port, 1)
    client.send(request('/a.txt', { method: 'POST', lines: [`Content-Length: ${length}`] }))
    clients.push(client)
  }
  for (const client of clients) assert.ok([405, 413].includes((await client.response()).status))
  await trickle(clients, 'x'.repeat(10))
  await witness.stop(t)
  await goneOf(node, 0)
})
