// SPDX-License-Identifier: MIT
// As replay.test.ts, with transactions of at most two nodes: whatever a rollout does is cut, and the control plane
// crashes between the parts, too.
import { expect, test } from 'vitest'
import { simulateOverSql } from '../../simulator/over-sql.ts'
import { CUT } from '../../simulator/world.ts'

test.each([3, 11])('seed %i in parts comes to the same over SQL', async (seed) => {
  const { violation, seeds } = await simulateOverSql({ from: seed, count: 1, scope: CUT })
  expect(violation).toBeNull()
  expect(seeds).toBe(1)
})
