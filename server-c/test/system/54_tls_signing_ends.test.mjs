// SPDX-License-Identifier: MIT
// What happens in the middle of slow signatures: clients that leave or say no more, and the node's end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/node.mjs'
import { answered, ask, greet, MANY, serves, start } from '../support/slow-signatures.mjs'
import { failures, tlsClient } from '../support/tls-node.mjs'

test('clients that reset their connections meanwhile are gone at once', async (t) => {
  const { node, ca } = await start(t)
  for (let round = 0; round < 3; round++) {
    const clients = await greet(t, node)
    // One is answered: hellos were heard, and are being signed for.
    await until(() => answered(clients) > 0)
    for (const client of clients) client.socket.resetAndDestroy()
    await serves(node, { ca })
  }
  await until(async () => (await node.status()).gauges.openConnections === 0)
  const { tls: counts } = await node.status()
  const gone = counts.failures.reduce((sum, { count }) => sum + count, 0)
  assert.ok(gone > 0 && gone <= 3 * MANY, `${gone}`)
})

test('clients that say hello and then nothing are closed in time', async (t) => {
  const { node } = await start(t, { config: { limits: { headerSeconds: 1 } } })
  const clients = await greet(t, node)
  await Promise.all(clients.map((client) => client.closed().catch(() => {})))
  await until(async () => (await node.status()).gauges.openConnections === 0)
  assert.equal(await failures(node), MANY)
})

test('the node ends in the middle, and nothing is lost that had begun', async (t) => {
  const { node, ca } = await start(t, { config: { limits: { headerSeconds: 2 } } })
  const kept = await tlsClient(node.tlsPort, { ca })
  const clients = await greet(t, node)
  kept.send(ask())
  const stopped = node.stop()
  assert.equal((await kept.response()).text, 'alpha')
  assert.equal(await stopped, 0)
  assert.ok(answered(clients) > 0)
})
