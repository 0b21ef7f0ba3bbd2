// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { isSameSearch, viewSearchOf } from './saved-views.ts'

test('what is not set is not kept', () => {
  expect(viewSearchOf({ q: 'edge', state: undefined, cordoned: true, deep: { a: 1 } })).toEqual({
    ...{ q: 'edge', cordoned: true },
  })
})

test('two addresses are the same view in whatever order', () => {
  expect(isSameSearch({ a: 1, b: 'x' }, { b: 'x', a: 1 })).toBe(true)
  expect(isSameSearch({ a: 1 }, { a: '1' })).toBe(false)
  expect(isSameSearch({ a: 1 }, { a: 1, b: true })).toBe(false)
})
