// SPDX-License-Identifier: MIT
// Every command of docs/farmctl.md is run, in bash, in the page's order: here those for configs as files; the others beside.
import { expect, test } from 'vitest'
import { PAGE_TEST_MS, runPage } from './page.ts'

test('the guide’s commands for configs do what it says', { timeout: PAGE_TEST_MS }, async () => {
  const { ended, commands } = await runPage('files')
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(15)
})
