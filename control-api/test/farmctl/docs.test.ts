// SPDX-License-Identifier: MIT
// Every command of docs/farmctl.md is run, in bash, in the page's order: its first half, up to rollouts.
import { expect, test } from 'vitest'
import { FIRST_HALF, PAGE_TEST_MS, runPage } from './page.ts'

test('the guide’s commands up to a rollout do what it says', {
  timeout: PAGE_TEST_MS,
}, async () => {
  const { ended, commands } = await runPage(FIRST_HALF)
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(25)
})
