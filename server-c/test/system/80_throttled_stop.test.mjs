// SPDX-License-Identifier: MIT
// Longer than ten seconds, as those are what `serve` gives responses that are under way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { RawClient, request } from '../support/raw.mjs'

const files = { 'big.bin': Buffer.alloc(32 << 20, 'x') }

test('a stop ends throttled responses after the drain', async (t) => {
  const node = await startNode(t, { files, site: { bytesPerSecond: 40_000 } })
  const client = await RawClient.connect(node.port)
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  const start = Date.now()
  assert.equal(await node.stop(), 0)
  assert.ok(Date.now() - start < 15_000)
})
