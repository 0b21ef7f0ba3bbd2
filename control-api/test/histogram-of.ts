// SPDX-License-Identifier: MIT
// Counts durations as a node does, so that tests can say what they measured in seconds.
import type { Histogram } from '../src/histogram/histogram.ts'
import { HistogramSum } from '../src/histogram/sum.ts'

export function histogramOf(seconds: readonly number[]): Histogram {
  const sum = new HistogramSum()
  for (const value of seconds) sum.count(value)
  return sum.toHistogram()
}

export { seededRandom } from '../src/base/seeded-random.ts'
