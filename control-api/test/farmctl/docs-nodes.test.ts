// SPDX-License-Identifier: MIT
// As docs.test.ts, nodes, people and the audit.
import { expect, test } from 'vitest'
import { PAGE_TEST_MS, runPage } from './page.ts'

test('the guide’s commands for nodes and people do what it says', {
  timeout: PAGE_TEST_MS,
}, async () => {
  const { ended, commands } = await runPage('nodes')
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(20)
})
