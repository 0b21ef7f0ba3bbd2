// SPDX-License-Identifier: MIT
// Windows in which each stage took what a test says.
import type { Unit } from '../../../src/metrics-store/units.ts'
import type { StageName } from '../../../src/metrics-store/windows.ts'
import { histogramOf } from '../../histogram-of.ts'

type Given = {
  /** Seconds of each request, of a window. */
  stages: Partial<Record<StageName, readonly number[]>>
  counters?: Record<string, number>
  gauges?: Record<string, number>
  coveredSeconds?: number
}

/** So many alike. */
export const unitsOf = (
  count: number,
  { stages, counters = {}, gauges = {}, coveredSeconds = 10 }: Given,
): Unit[] =>
  Array.from({ length: count }, () => ({
    coveredSeconds,
    stages: Object.fromEntries(
      Object.entries(stages).map(([stage, seconds]) => [stage, histogramOf(seconds)]),
    ),
    counters,
    gauges: Object.fromEntries(
      Object.entries(gauges).map(([name, value]) => [name, { mean: value, max: value }]),
    ),
  }))

export const times = (count: number, seconds: number) => Array<number>(count).fill(seconds)
