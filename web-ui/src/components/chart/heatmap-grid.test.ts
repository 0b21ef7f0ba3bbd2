// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import {
  gridOf,
  gridRows,
  labelledTimes,
  moved,
  rowsOf,
  rowWords,
  strength,
} from './heatmap-grid.ts'

const step = (firstBucket: number, counts: number[], zeroCount = 0) => ({
  ...{ firstBucket, counts, zeroCount },
})
const answer = {
  ...{ times: [0, 10, 20], stepSeconds: 10, bucketsPerOctave: 8 },
  // Buckets -8 to -5 are half a second and longer, -4 to -1 up to one second, 0 to 3 up to 1.4 s.
  steps: [step(-8, [1, 1, 1, 1, 2]), null, step(0, [7])],
}

test('buckets are added to rows of half an octave, and a gap stays one', () => {
  const grid = gridOf(answer)
  expect(grid).toMatchObject({ lowest: -2, rows: 3, most: 7 })
  expect(grid.steps).toEqual([[4, 2, 0], null, [0, 0, 7]])
  expect([0, 1, 2].map((row) => rowWords(grid, row))).toEqual([
    ...['500 ms to 707 ms', '707 ms to 1 s', '1 s to 1.41 s'],
  ])
})

test('what is too short to measure is a row of its own, the lowest', () => {
  const grid = gridOf({ ...answer, steps: [step(-160, [3], 5), null, null] })
  expect(grid.steps[0]?.slice(0, 4)).toEqual([5, 0, 0, 3])
  expect(rowWords(grid, 0)).toBe('up to 0.477 µs')
})

test('no request is no row', () => {
  expect(gridOf({ ...answer, steps: [null, step(0, []), null] })).toMatchObject({
    ...{ rows: 0, most: 0 },
  })
})

test('one request among a million is seen, and the fullest cell is the strongest', () => {
  expect(strength(0, 1e6)).toBe(0)
  expect(strength(1, 1e6)).toBeGreaterThan(0.15)
  expect(strength(1e6, 1e6)).toBeCloseTo(1)
})

test('as a file its columns are named by their upper ends', () => {
  const [head, first, gap] = gridRows(gridOf(answer))
  expect(head).toEqual([
    'time',
    'up to 0.7071067811865476 s',
    'up to 1 s',
    'up to 1.4142135623730951 s',
  ])
  expect(first).toEqual(['1970-01-01T00:00:00.000Z', 4, 2, 0])
  expect(gap).toEqual(['1970-01-01T00:00:10.000Z', null, null, null])
})

test.each([
  ['ArrowUp', { step: 1, row: 2 }],
  ['ArrowLeft', { step: 0, row: 1 }],
  ['End', { step: 2, row: 1 }],
  ['a', undefined],
])('%s moves within the grid', (key, expected) => {
  expect(moved({ step: 1, row: 1 }, key, gridOf(answer))).toEqual(expected)
  expect(moved({ step: 0, row: 0 }, 'ArrowDown', gridOf(answer))).toEqual({ step: 0, row: 0 })
})

test('two beside each other have the same rows', () => {
  const other = { ...answer, steps: [step(16, [1]), null, null] }
  const rows = rowsOf([answer, other])
  expect(rows).toEqual({ lowest: -2, end: 5 })
  expect(gridOf(answer, rows).steps[2]).toEqual([0, 0, 7, 0, 0, 0, 0])
  expect(gridOf(other, rows).steps[0]).toEqual([0, 0, 0, 0, 0, 0, 1])
})

test('times are labelled where a clock has round ones', () => {
  const times = Array.from({ length: 90 }, (_, i) => 50 + 10 * i)
  expect(labelledTimes({ ...gridOf(answer), times }, 8)).toEqual([
    ...[120, 240, 360, 480, 600, 720, 840],
  ])
  expect(labelledTimes({ ...gridOf(answer), times: [] }, 8)).toEqual([0])
})
