// SPDX-License-Identifier: MIT
// What many sets had of some measures over a time, the whole of it as one step: each row is read once, whatever is asked of it.
// And what they had of one measure at each end of a window that moves over the time.

import { quantile } from '../histogram/histogram.ts'
import { HistogramSum } from '../histogram/sum.ts'
import { addGauge } from './measured.ts'
import type { RingStore } from './ring-store.ts'
import type { Plan } from './rings.ts'
import { type AskedSet, histogramOf, readSet, type Step, type Wanted } from './sets.ts'
import type { StageName } from './windows.ts'

export type Measure =
  | { kind: 'quantile'; stage: StageName; q: number }
  /** A second, of the time that was measured. */
  | { kind: 'rate'; counter: string }
  /** Of all requests. */
  | { kind: 'share'; counter: string }
  /** Its mean. */
  | { kind: 'gauge'; gauge: string }
type Rings = Pick<RingStore, 'steps' | 'subjects' | 'rollUp'>
export type ValuesQuery = Plan & { sets: readonly AskedSet[]; measures: readonly Measure[] }
export type Valued = {
  /** In the order of the measures; null: there was nothing of it. */
  values: (number | null)[]
  requests: number
  /** How much of the time was measured, in seconds; of two nodes twice as much. */
  coveredSeconds: number
}

const SETS_AT_ONCE = 100
const WINDOWS_AT_ONCE = 500

/** In the order of the sets; null: nothing was measured. */
export function* valuesOf(
  rings: Rings,
  { sets, measures, ...plan }: ValuesQuery,
): Generator<void, (Valued | null)[]> {
  const whole = { ...plan, stepSeconds: plan.toSeconds - plan.fromSeconds }
  const wanted = wantedFor(measures)
  const found: (Valued | null)[] = []
  for (const [i, set] of sets.entries()) {
    if (i % SETS_AT_ONCE === SETS_AT_ONCE - 1) yield
    const [step] = yield* readSet(rings, set, whole, wanted)
    found.push(step ? valuedOf(step, measures) : null)
  }
  return found
}

export type MovingQuery = Plan & {
  set: AskedSet
  measure: Measure
  /** How many steps a window has: the first one ends with that step. */
  windowSteps: number
}
/** A value for each window, in the order of time. */
export type MovingValues = {
  values: (number | null)[]
  requests: number[]
  coveredSeconds: number[]
}

export function* movingValuesOf(
  rings: Rings,
  { set, measure, windowSteps, ...plan }: MovingQuery,
): Generator<void, MovingValues> {
  const steps = yield* readSet(rings, set, plan, wantedFor([measure]))
  const found: MovingValues = { values: [], requests: [], coveredSeconds: [] }
  for (const window of windowsOf(steps, windowSteps)) {
    if (found.values.length % WINDOWS_AT_ONCE === WINDOWS_AT_ONCE - 1) yield
    const { values, requests, coveredSeconds } = valuedOf(window, [measure])
    found.values.push(values[0] ?? null)
    found.requests.push(requests)
    found.coveredSeconds.push(coveredSeconds)
  }
  return found
}

/**
 * The sum of each so many steps. A window is the end of one piece of that length and the beginning of the next, and both are
 * made of what they were a step before: each step is added a few times, however long a window is.
 */
export function* windowsOf(
  steps: readonly (Step | null)[],
  windowSteps: number,
): Generator<Step, void> {
  for (let from = 0; from + windowSteps <= steps.length; from += windowSteps) {
    const next = from + windowSteps
    const ends = endsOf(steps.slice(from, next))
    let beginning = together()
    for (const [i, end] of ends.entries()) {
      if (next + i > steps.length) return
      if (i > 0) beginning = together(beginning, steps[next + i - 1])
      yield together(end, beginning)
    }
  }
}

/** From each of them to the last. */
function endsOf(steps: readonly (Step | null)[]): Step[] {
  const ends: Step[] = []
  for (const step of steps.toReversed()) ends.push(together(ends.at(-1), step))
  return ends.reverse()
}

function together(...steps: readonly (Step | null | undefined)[]): Step {
  const sum: Step = { coveredMs: 0, stages: new Map(), counters: new Map(), gauges: new Map() }
  for (const step of steps) {
    if (!step) continue
    sum.coveredMs += step.coveredMs
    for (const [name, n] of step.counters) sum.counters.set(name, (sum.counters.get(name) ?? 0) + n)
    for (const [name, gauge] of step.gauges) addGauge(sum.gauges, name, gauge)
    for (const [stage, histogram] of step.stages) {
      const had = sum.stages.get(stage) ?? new HistogramSum()
      sum.stages.set(stage, had)
      had.addSum(histogram)
    }
  }
  return sum
}

const valuedOf = (step: Step, measures: readonly Measure[]): Valued => ({
  values: measures.map((one) => measureOf(step, one)),
  requests: step.counters.get('requests') ?? 0,
  coveredSeconds: step.coveredMs / 1000,
})

const wantedFor = (measures: readonly Measure[]): Wanted => ({
  stages: [...new Set(measures.flatMap((one) => (one.kind === 'quantile' ? [one.stage] : [])))],
  quantiles: [],
  counters: [
    ...new Set(['requests', ...measures.flatMap((one) => ('counter' in one ? [one.counter] : []))]),
  ],
  gauges: [...new Set(measures.flatMap((one) => (one.kind === 'gauge' ? [one.gauge] : [])))],
})

function measureOf(step: Step, by: Measure): number | null {
  switch (by.kind) {
    case 'quantile':
      return quantile(histogramOf(step, by.stage), by.q)
    case 'rate':
      return step.coveredMs > 0
        ? ((step.counters.get(by.counter) ?? 0) / step.coveredMs) * 1000
        : null
    case 'share': {
      const requests = step.counters.get('requests') ?? 0
      return requests > 0 ? (step.counters.get(by.counter) ?? 0) / requests : null
    }
    case 'gauge': {
      const gauge = step.gauges.get(by.gauge)
      return gauge ? gauge.sum / gauge.count : null
    }
  }
}
