// SPDX-License-Identifier: MIT
// As replay.test.ts, of seeds that found one later.
import { expect, test } from 'vitest'
import { simulateOverSql } from '../../simulator/over-sql.ts'

/**
 * 508: a node that a rollout left out was taken from an earlier one all the same. 812: who never had a decommissioned
 * node ended another's way back for it.
 */
test.each([508, 812])('seed %i comes to the same over SQL', async (seed) => {
  const { violation, seeds } = await simulateOverSql({ from: seed, count: 1 })
  expect(violation).toBeNull()
  expect(seeds).toBe(1)
})
