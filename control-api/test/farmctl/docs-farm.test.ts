// SPDX-License-Identifier: MIT
// As docs.test.ts, the second half of the page: nodes, people, backups, certificates, webhooks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGE_TEST_MS, runPage, SECOND_HALF } from './page.ts'

test('the guide’s commands from nodes on do what it says', { timeout: PAGE_TEST_MS }, async () => {
  const { ended, commands, home, receiver } = await runPage(SECOND_HALF)
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(35)
  expect(readFileSync(join(home, 'control.age')).subarray(0, 21).toString()).toBe(
    'age-encryption.org/v1',
  )
  expect(receiver.received).toHaveLength(1)
})
