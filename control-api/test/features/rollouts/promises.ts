// SPDX-License-Identifier: MIT
// What the simulation is asked of many seeds. A hundred take some five seconds of a core: each start of a file of its own.
// FARMSTEAD_TEST_SEEDS asks it of more: `npm run test:seeds -w control-api` of a thousand from each.
import { expect, test } from 'vitest'
import { simulate } from '../../simulator/simulate.ts'
import { ALL, type Scope } from '../../simulator/world.ts'

/** What finds each fault of `npm run simulate:mutations`: 39 of them are found by any of the starts within a hundred, one takes 228. */
const FEW = 100
const RUNS_WITHIN_MS = 400_000

export function keepPromises(
  from: number,
  { scope = ALL, count = FEW }: { scope?: Scope; count?: number } = {},
): void {
  const asked = Number(process.env.FARMSTEAD_TEST_SEEDS ?? count)
  test(
    `none of ${asked} seeds from ${from} on breaks a promise, and at rest every rollout has ended or says what it waits for`,
    () => {
      const { violation, seeds, ends } = simulate({ from, count: asked, scope })
      expect(violation).toBeNull()
      expect(seeds).toBe(asked)
      for (const state of ['succeeded', 'paused', 'frozen', 'reverted', 'revert_incomplete']) {
        expect(ends[state], state).toBeGreaterThan(asked / 60)
      }
    },
    RUNS_WITHIN_MS,
  )
}
