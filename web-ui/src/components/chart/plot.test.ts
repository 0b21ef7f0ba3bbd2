// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { alone, heights } from './plot.ts'

test('only values with a gap on both sides are drawn as points', () => {
  expect(alone([1, null, 2, null, 3, 4, null, undefined, 5])).toEqual([0, 2, 8])
  expect(alone([])).toEqual([])
})

test('parts of a whole are drawn on top of each other, and a gap is one where all have one', () => {
  const series = [
    { name: 'a', colour: 1 as const, values: [1, null, null] },
    { name: 'b', colour: 2 as const, values: [2, 3, null] },
  ]
  expect(heights(series, true)).toEqual([
    [1, 0, null],
    [3, 3, null],
  ])
  expect(heights(series, false)).toEqual([
    [1, null, null],
    [2, 3, null],
  ])
})
