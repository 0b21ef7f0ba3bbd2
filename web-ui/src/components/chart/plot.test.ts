// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { alone } from './plot.ts'

test('only values with a gap on both sides are drawn as points', () => {
  expect(alone([1, null, 2, null, 3, 4, null, undefined, 5])).toEqual([0, 2, 8])
  expect(alone([])).toEqual([])
})
