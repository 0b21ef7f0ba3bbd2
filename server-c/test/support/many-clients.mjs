// SPDX-License-Identifier: MIT
// Many clients of one node at once.
import { until } from './node.mjs'
import { RawClient } from './raw.mjs'

export const connect = (port, count, options) =>
  Promise.all(Array.from({ length: count }, () => RawClient.connect(port, options)))

export async function goneOf(node, others = 1) {
  await until(
    async () => (await node.status()).gauges.openConnections <= others,
    'their connections are closed',
  )
}
