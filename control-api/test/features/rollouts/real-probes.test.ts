// SPDX-License-Identifier: MIT
// Real nodes that nobody visits: what they fetch from themselves is all the evidence there is.
import { expect, test } from 'vitest'
import { probes, quick, realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000

test(
  'with probes a good version goes to all nodes, and the evidence says what it rests on',
  async () => {
    const farm = await realFarm(3)
    const version = await farm.save(farm.rootWith('two'))
    const { id } = await farm.order(version, { ...quick, probes })
    const { evidence, policy, tasks } = await farm.ends(id, 'succeeded')
    expect(policy.probes).toEqual(probes)
    expect(tasks.map((task) => task.state)).toEqual(['done', 'done', 'done'])
    const [gate] = evidence?.gates ?? []
    expect(evidence).toMatchObject({ wave: 1, verdict: 'pass' })
    for (const side of [gate?.canary, gate?.control]) {
      expect(side?.samples).toBeGreaterThanOrEqual(60)
      expect(side?.probed).toBe(side?.samples)
    }
    expect(gate?.message).toContain('probes: ')
  },
  WHOLE_TEST_MS,
)
