// SPDX-License-Identifier: MIT
// Real nodes that nobody visits, and that fetch nothing from themselves.
import { expect, test } from 'vitest'
import { quick, realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000

test(
  'without probes a version waits for evidence that never comes',
  async () => {
    const farm = await realFarm(2)
    const version = await farm.save(farm.rootWith('two'))
    const { id } = await farm.order(version, { ...quick, maxSoakSeconds: 2 })
    const { reason, evidence, policy } = await farm.ends(id, 'paused')
    expect(policy.probes).toEqual([])
    expect(reason).toMatch(/requests that are needed/)
    expect(evidence).toMatchObject({ verdict: 'no_data', gates: [{ canary: { probed: 0 } }] })
  },
  WHOLE_TEST_MS,
)
