// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { checkPasswordFields, safeNext } from './rules.ts'

const good = { current: 'one-time', next: 'twelve chars', repeated: 'twelve chars' }

describe('checkPasswordFields', () => {
  test('takes twelve characters', () => expect(checkPasswordFields(good)).toEqual({}))
  test('counts characters, not their encoding', () => {
    const next = '🐑'.repeat(11)
    expect(checkPasswordFields({ ...good, next, repeated: next }).next).toContain('this has 11')
  })
  test('refuses the old one and a slip of the pen', () => {
    const same = { current: 'twelve chars', next: 'twelve chars', repeated: 'twelve char' }
    expect(Object.keys(checkPasswordFields(same))).toEqual(['next', 'repeated'])
  })
})

describe('safeNext', () => {
  test.each([
    [undefined, '/'],
    ['/nodes/x?range=1h', '/nodes/x?range=1h'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
  ])('%s leads to %s', (next, path) => expect(safeNext(next)).toBe(path))
})
