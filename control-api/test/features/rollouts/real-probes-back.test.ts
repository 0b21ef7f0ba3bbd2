// SPDX-License-Identifier: MIT
// Real nodes that nobody visits: what they fetch from themselves takes a bad version back.
import { expect, test } from 'vitest'
import { probes, quick, realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000

test(
  'with probes a version that does not find the page is taken back from the first node',
  async () => {
    const farm = await realFarm(2)
    const version = await farm.save(farm.rootWith(null))
    const { id } = await farm.order(version, { ...quick, probes })
    const { reason, tasks } = await farm.ends(id, 'reverted')
    // Whichever is seen first: the node alone, or its wave beside the others.
    expect(reason).toMatch(/\d+ answers of edge-\d are 404|the share of 404 is 1 higher than/)
    expect(tasks.map((task) => task.state)).toEqual(['reverted', 'skipped'])
  },
  WHOLE_TEST_MS,
)

test(
  'careful as it is by default takes back what finds nothing, and says how many answers were 4xx',
  async () => {
    const farm = await realFarm(2)
    const version = await farm.save(farm.rootWith(null))
    const { gates: _, ...unsaid } = quick
    const { id, policy } = await farm.order(version, { ...unsaid, probes })
    expect(policy.gates.map(({ metric }) => metric)).toContain('errors4xx')
    const { reason, tasks } = await farm.ends(id, 'reverted')
    expect(reason).toMatch(/answers of edge-\d are 4xx|the share of 4xx is 1 higher/)
    expect(tasks.map((task) => task.state)).toEqual(['reverted', 'skipped'])
    const { items } = (await farm.admin.inject({ url: '/api/v1/nodes' })).json()
    const shares = items.map(({ latency }: { latency: object }) => latency)
    expect(
      Math.max(...shares.map((one: { notFoundRatio: number }) => one.notFoundRatio)),
    ).toBeGreaterThan(0)
  },
  WHOLE_TEST_MS,
)
