// SPDX-License-Identifier: MIT
// The windows of many nodes put together as they are read, so that two minutes of ten thousand nodes are never held
// at once: into as many as an interval is drawn from (bootstrap.ts), one after the other. Counts add up, and nothing is lost.
import { HistogramSum } from '../../../histogram/sum.ts'
import { MOST_UNITS } from '../../../metrics-store/bootstrap.ts'
import type { Sample } from '../../../metrics-store/metrics.ts'

/** What a comparison reads of a window. */
export type Window = Pick<Sample, 'counters' | 'stages'>
type Stage = keyof Sample['stages']

export type Windows = { add(window: Window): void; all(): Window[] }

type Sum = { counters: Record<string, number>; stages: Map<Stage, HistogramSum> }

/** Of the counters and stages that are asked for. */
export function createWindows(counters: readonly string[], stages: readonly Stage[]): Windows {
  const sums: Sum[] = []
  let count = 0
  return {
    add(window) {
      const at = count++ % MOST_UNITS
      const sum = sums[at] ?? { counters: {}, stages: new Map<Stage, HistogramSum>() }
      sums[at] = sum
      for (const name of counters)
        sum.counters[name] = (sum.counters[name] ?? 0) + (window.counters[name] ?? 0)
      for (const stage of stages) {
        const histogram = window.stages[stage]
        if (!histogram) continue
        const dense = sum.stages.get(stage) ?? new HistogramSum()
        sum.stages.set(stage, dense)
        dense.add(histogram)
      }
    },
    all: () =>
      sums.map((sum) => ({
        counters: sum.counters,
        stages: Object.fromEntries(
          [...sum.stages].map(([stage, one]) => [stage, one.toHistogram()]),
        ),
      })),
  }
}
