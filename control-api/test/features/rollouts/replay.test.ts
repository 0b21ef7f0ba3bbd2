// SPDX-License-Identifier: MIT
// What the simulation proves of the reducer over maps, the engine does over SQL: the same deeds, the same states.
import { expect, test } from 'vitest'
import { simulateOverSql } from '../../simulator/over-sql.ts'

/**
 * Each found one, as the simulation was then. 11, 24: who returned after the end was not offered it, nor after a
 * restore. 28: who waited for a node that was decommissioned waited on. Later ones are in replay-later.test.ts.
 */
const FOUND = [11, 24, 28]

test.each(FOUND)('seed %i comes to the same over SQL', async (seed) => {
  const { violation, seeds } = await simulateOverSql({ from: seed, count: 1 })
  expect(violation).toBeNull()
  expect(seeds).toBe(1)
})
