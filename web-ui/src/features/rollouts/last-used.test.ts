// SPDX-License-Identifier: MIT
import { beforeEach, expect, test } from 'vitest'
import { keepLastUsed, readLastUsed } from './last-used.ts'
import { firstChoice } from './strategy.ts'

beforeEach(() => localStorage.clear())

test('a plan never begins with all at once, whoever used it last in this browser', () => {
  keepLastUsed({ ...firstChoice(), preset: 'at-once' })
  expect(readLastUsed().preset).toBe('careful')
  localStorage.setItem(
    'farmstead.rollout-strategy',
    JSON.stringify({ preset: 'at-once', strategy: {} }),
  )
  expect(readLastUsed().preset).toBe('careful')
})
