// SPDX-License-Identifier: MIT
// All that the farm and each group did since this thread began, in memory: counters that only grow, for programs that look at
// them now and then and draw what was added (Prometheus, OpenTelemetry). A window counts when it was taken, once, however late it came.
import { HistogramSum } from '../histogram/sum.ts'
import { FARM } from './subjects.ts'
import type { Counters, PlacedWindow, StageName, Stages } from './windows.ts'

/** FARM, or groupSum() of a group. */
export type Total = { of: string; counters: Counters; stages: Stages }
export type Totals = {
  /** Of a node, in these groups. */
  add(windows: readonly PlacedWindow[], groups: readonly string[]): void
  /** Lets go of groups that are not among these: nobody is in them. */
  all(groups: ReadonlySet<string>): Total[]
}
type Kept = { counters: Map<string, number>; stages: Map<StageName, HistogramSum> }

/** Of one that invents them; as many as a step has (measured.ts). */
const MAX_COUNTER_NAMES = 256

export function createTotals(): Totals {
  const kept = new Map<string, Kept>()
  return {
    add(windows, groups) {
      for (const of of [FARM, ...groups]) {
        const total = kept.get(of) ?? { counters: new Map(), stages: new Map() }
        kept.set(of, total)
        for (const { series } of windows) {
          for (const { counters, stages } of series) addTo(total, counters, stages)
        }
      }
    },
    all(groups) {
      for (const of of kept.keys()) if (of !== FARM && !groups.has(of)) kept.delete(of)
      return [...kept].map(([of, { counters, stages }]) => ({
        of,
        counters: Object.fromEntries(counters),
        stages: Object.fromEntries(
          [...stages].map(([stage, sum]) => [stage, sum.toHistogram()] as const),
        ),
      }))
    },
  }
}

function addTo(total: Kept, counters: Counters, stages: Stages): void {
  for (const [name, value] of Object.entries(counters)) {
    const sum = total.counters.get(name)
    if (sum === undefined && total.counters.size >= MAX_COUNTER_NAMES) continue
    total.counters.set(name, Math.min((sum ?? 0) + value, Number.MAX_SAFE_INTEGER))
  }
  for (const [stage, histogram] of Object.entries(stages) as [StageName, Stages[StageName]][]) {
    if (!histogram || histogram.count === 0) continue
    const sum = total.stages.get(stage) ?? new HistogramSum()
    total.stages.set(stage, sum)
    sum.add(histogram)
  }
}
