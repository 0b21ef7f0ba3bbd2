// SPDX-License-Identifier: MIT
// As replay.test.ts, of the first seeds.
import { expect, test } from 'vitest'
import { simulateOverSql } from '../../simulator/over-sql.ts'

test.each([1, 2, 3])('seed %i comes to the same over SQL', async (seed) => {
  const { violation, seeds } = await simulateOverSql({ from: seed, count: 1 })
  expect(violation).toBeNull()
  expect(seeds).toBe(1)
})
