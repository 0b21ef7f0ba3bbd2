// SPDX-License-Identifier: MIT
// A stat cache of a real node that is too short-lived, too small, and large enough.
import { expect, test } from 'vitest'
import { clients, get, kept, LONG_MS, many, realNode, slowDisk } from './real-node.ts'

test(
  'a stat cache that forgets too soon is told of',
  async () => {
    const node = await realNode({
      files: many(40, (n) => `slow-open-${n}.html`, 'page'),
      config: { statCache: { ttlMillis: 1 }, io: { statThreads: 16 } },
      env: slowDisk(),
    })
    const agent = kept()
    const load = clients(32, (n) => get(agent, node, `/slow-open-${n % 40}.html`))
    const [advice] = await node.advisedUnder(load, 'statCache')
    expect(advice).toMatchObject({
      ...{ rule: 'statCache', title: 'The stat cache forgets too soon' },
      change: { pointer: '/statCache/ttlMillis', times: 10 },
    })
  },
  LONG_MS,
)

test(
  'a stat cache that is too small is told of, and one that holds all that is asked for is not',
  async () => {
    const node = await realNode({
      files: many(300, (n) => `slow-open-${n}.html`, 'page'),
      config: { statCache: { maxEntries: 16, ttlMillis: 3_600_000 }, io: { statThreads: 16 } },
      env: slowDisk(),
    })
    const agent = kept()
    const load = clients(32, (n) => get(agent, node, `/slow-open-${n % 300}.html`))
    const [advice] = await node.advisedUnder(load, 'statCache')
    expect(advice).toMatchObject({
      ...{ rule: 'statCache', title: 'The stat cache is too small' },
      change: { pointer: '/statCache/maxEntries', now: 16, times: 4 },
    })
    const same = clients(8, (n) => get(agent, node, `/slow-open-${n % 8}.html`))
    expect((await node.judgedUnder(same, 'slowClients')).advice).toEqual([])
  },
  LONG_MS,
)
