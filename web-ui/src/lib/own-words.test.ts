// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { ownWords } from './own-words.ts'

const missing = { message: '"/srv" does not exist on this machine' }

test('words that only repeat a finding are left out', () => {
  expect(ownWords(`/sites/0/root: ${missing.message}`, [missing])).toBe('')
})

test('other words stay, and so do all where no finding is listed', () => {
  expect(ownWords('It could not bind port 80.', [missing])).toBe('It could not bind port 80.')
  expect(ownWords(missing.message, [])).toBe(missing.message)
})
