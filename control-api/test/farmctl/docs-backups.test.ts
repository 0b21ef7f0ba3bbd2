// SPDX-License-Identifier: MIT
// As docs.test.ts, backups, certificates, webhooks and scripts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGE_TEST_MS, runPage } from './page.ts'

test('the guide’s commands for backups, certificates and webhooks do what it says', {
  timeout: PAGE_TEST_MS,
}, async () => {
  const { ended, commands, home, receiver } = await runPage('backups')
  expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  expect(commands).toBeGreaterThan(18)
  expect(readFileSync(join(home, 'control.age')).subarray(0, 21).toString()).toBe(
    'age-encryption.org/v1',
  )
  expect(receiver.received).toHaveLength(1)
})
