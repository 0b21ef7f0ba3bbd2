// SPDX-License-Identifier: MIT
// The picture beside the percentiles: how many requests took how long, on both sides.
import { expect, test } from 'vitest'
import { distributionsOf } from '../../../../src/features/rollouts/gates/distributions.ts'
import { histogramOf } from '../../../histogram-of.ts'

const group = (...windows: number[][]) => ({
  nodes: 1,
  samples: windows.map((seconds) => ({ counters: {}, stages: { total: histogramOf(seconds) } })),
})
const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0)

test('adds windows up in columns of half a doubling, both sides from the same column on', () => {
  const [one, ...others] = distributionsOf(group([0.9, 0.9], [0.9]), group([0.9, 3.9]))
  expect(others).toEqual([])
  // (0.71, 1] and (2.8, 4] seconds.
  expect(one).toEqual({
    stage: 'total',
    firstColumn: -1,
    canary: [3, 0, 0, 0, 0],
    control: [1, 0, 0, 0, 1],
    quantiles: expect.anything(),
  })
})

test('marks the percentiles as finely as gates read them', () => {
  const canary = group([...Array<number>(99).fill(0.9), 3])
  const [one] = distributionsOf(canary, group([0.1, 0.1, 2]))
  const marked = one?.quantiles.map((of) => [of.q, of.canary?.toFixed(1), of.control?.toFixed(1)])
  expect(marked).toEqual([
    [0.5, '0.9', '0.1'],
    [0.99, '0.9', '1.9'],
  ])
})

test('loses no request, and is small however spread they are', () => {
  const spread = Array.from({ length: 500 }, (_, i) => 1e-7 * 1.06 ** i)
  const [one] = distributionsOf(group(spread), group(spread))
  expect(sum(one?.canary ?? [])).toBe(500)
  expect(sum(one?.control ?? [])).toBe(500)
  expect(one?.firstColumn).toBe(-43)
  expect(one?.canary.length).toBeLessThanOrEqual(63)
})

test('has none of what one side did not measure', () => {
  expect(distributionsOf(group([0.1]), group([]))).toEqual([])
  expect(distributionsOf({ nodes: 0, samples: [] }, group([0.1]))).toEqual([])
})
