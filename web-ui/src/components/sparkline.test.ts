// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { sparkPaths } from './sparkline.tsx'

test('a gap is no line', () => {
  const { lines, dots } = sparkPaths([1, 1, null, 1, 1])
  expect(lines.match(/M/g)).toHaveLength(2)
  expect(dots).toBe('')
})

test('a value between gaps is a dot and not a line', () => {
  const { lines, dots } = sparkPaths([3, null, 1, null, 2, 2])
  expect(lines.match(/[ML]/g)).toEqual(['M', 'L'])
  expect(dots.match(/M/g)).toHaveLength(2)
})

test('without data nothing is drawn, and zeros lie on the baseline', () => {
  expect(sparkPaths([])).toEqual({ lines: '', dots: '' })
  expect(sparkPaths([null, null])).toEqual({ lines: '', dots: '' })
  expect(sparkPaths([0, 0]).lines).toBe('M2.0 18.0L70.0 18.0')
})
