// SPDX-License-Identifier: MIT
// As docs.test.ts, what looks at the farm, and rollouts.
import { expect, test } from 'vitest'
import { PAGE_TEST_MS, runPage } from './page.ts'

test('the guide’s commands for rollouts do what it says', { timeout: PAGE_TEST_MS }, async () => {
  const { ended, commands } = await runPage('rollouts', { versions: 2 })
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(18)
})
