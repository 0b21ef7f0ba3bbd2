// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { sparkPath } from '../sparkline.tsx'
import { alone } from './plot.ts'

test('only values with a gap on both sides are drawn as points', () => {
  expect(alone([1, null, 2, null, 3, 4, null, undefined, 5])).toEqual([0, 2, 8])
  expect(alone([])).toEqual([])
})

test('a gap in a sparkline is no line', () => {
  const path = sparkPath([1, 1, null, 1, 1])
  expect(path.match(/M/g)).toHaveLength(2)
})

test('a sparkline without data draws nothing', () => {
  expect([sparkPath([]), sparkPath([null, null]), sparkPath([0])]).toEqual(['', '', ''])
})
