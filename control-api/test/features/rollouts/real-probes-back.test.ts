// SPDX-License-Identifier: MIT
// Real nodes that nobody visits: what they fetch from themselves takes a bad version back.
import { expect, test } from 'vitest'
import { realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000
const quick = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  minHealthySeconds: 1,
  soakSeconds: 1,
  maxSoakSeconds: 300,
  gates: [{ metric: 'errors404', max: 0.01, onFail: 'revert' }],
  minSamples: 60,
}
const probes = [{ path: '/' }, { host: 'www.example.org', path: '/index.html?from=probe' }]

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
