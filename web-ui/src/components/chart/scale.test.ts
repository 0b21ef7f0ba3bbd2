// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { logRange, logTicks } from './scale.ts'

test.each([
  ['between two steps', 0.00013, 0.027, [0.0001, 0.05]],
  ['on a step', 0.001, 0.02, [0.001, 0.02]],
  ['one value on a step', 0.002, 0.002, [0.001, 0.004]],
  ['nothing measured', null, null, [0.1, 1]],
  ['a zero, which has no place', 0, 0.5, [0.0005, 0.5]],
])('a logarithmic scale of %s', (_what, min, max, expected) => {
  expect(logRange(min, max)).toEqual(expected)
})

test('a narrow logarithmic scale is labelled at 1, 2 and 5, a wide one at powers of ten', () => {
  expect(logTicks(0.0005, 0.02)).toEqual([0.0005, 0.001, 0.002, 0.005, 0.01, 0.02])
  expect(logTicks(0.0001, 0.05)).toEqual([0.0001, 0.001, 0.01])
})
