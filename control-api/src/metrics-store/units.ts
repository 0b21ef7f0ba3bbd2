// SPDX-License-Identifier: MIT
// What one set did, step by step and as it was measured: what rules are asked about (features/advice), which need the histograms
// themselves. Steps without anything are left out.
import type { Histogram } from '../histogram/histogram.ts'
import type { RingStore } from './ring-store.ts'
import type { Plan } from './rings.ts'
import { type AskedSet, histogramOf, readSet, type Wanted } from './sets.ts'
import type { StageName } from './windows.ts'

export type UnitsQuery = Plan & { set: AskedSet; wanted: Omit<Wanted, 'quantiles'> }
export type Unit = {
  coveredSeconds: number
  /** A stage that no request had is absent. */
  stages: Partial<Record<StageName, Histogram>>
  /** Absent: nothing was counted. */
  counters: Record<string, number>
  /** Absent: it was not reported. */
  gauges: Record<string, { mean: number; max: number }>
}

export function* unitsOf(
  rings: Pick<RingStore, 'steps' | 'subjects' | 'rollUp'>,
  { set, wanted, ...plan }: UnitsQuery,
): Generator<void, Unit[]> {
  const steps = yield* readSet(rings, set, plan, { ...wanted, quantiles: [] })
  return steps
    .filter((step) => step !== null)
    .map((step) => ({
      coveredSeconds: step.coveredMs / 1000,
      stages: Object.fromEntries(
        [...step.stages.keys()].map((stage) => [stage, histogramOf(step, stage)]),
      ),
      counters: Object.fromEntries(step.counters),
      gauges: Object.fromEntries(
        [...step.gauges].map(([name, { sum, count, max }]) => [name, { mean: sum / count, max }]),
      ),
    }))
}
