// SPDX-License-Identifier: MIT
// Counts durations as a node does, so that tests can say what they measured in seconds.
import { type Histogram, MAX_INDEX, MIN_INDEX } from '../src/histogram/histogram.ts'

const SMALLEST_SECONDS = 2 ** -21

export function histogramOf(seconds: readonly number[]): Histogram {
  const buckets = new Map<number, number>()
  let zeroCount = 0
  for (const value of seconds) {
    if (value <= SMALLEST_SECONDS) zeroCount++
    else {
      const index = Math.min(MAX_INDEX, Math.max(MIN_INDEX, Math.ceil(Math.log2(value) * 8) - 1))
      buckets.set(index, (buckets.get(index) ?? 0) + 1)
    }
  }
  const indexes = [...buckets.keys()].sort((a, b) => a - b)
  const offset = indexes[0] ?? 0
  const length = indexes.length === 0 ? 0 : (indexes.at(-1) ?? 0) - offset + 1
  return {
    count: seconds.length,
    zeroCount,
    sumSeconds: seconds.reduce((sum, value) => sum + value, 0),
    maxSeconds: seconds.reduce((max, value) => Math.max(max, value), 0),
    offset,
    counts: Array.from({ length }, (_, k) => buckets.get(offset + k) ?? 0),
  }
}

export { seededRandom } from '../src/base/seeded-random.ts'
