// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { Kept } from '../../src/base/kept.ts'

test('what was asked for least lately goes first, by number and by bytes', () => {
  const few = new Kept<number>({ most: 2 })
  few.set('a', 1)
  few.set('b', 2)
  expect(few.get('a')).toBe(1)
  few.set('c', 3)
  expect([few.get('a'), few.get('b'), few.get('c')]).toEqual([1, undefined, 3])

  const small = new Kept<string>({ mostBytes: 10 })
  small.set('a', 'A', 4)
  small.set('b', 'B', 4)
  small.set('a', 'again', 6)
  expect([small.get('a'), small.get('b')]).toEqual(['again', 'B'])
  small.set('c', 'C', 5)
  expect([small.get('a'), small.get('b'), small.get('c')]).toEqual([undefined, 'B', 'C'])
})

test('what is larger than all that may be kept is not, and after clear() there is room again', () => {
  const kept = new Kept<string>({ mostBytes: 10 })
  kept.set('large', 'L', 11)
  expect(kept.get('large')).toBeUndefined()
  kept.set('a', 'A', 10)
  kept.clear()
  kept.set('b', 'B', 10)
  expect([kept.get('a'), kept.get('b')]).toEqual([undefined, 'B'])
})
