// SPDX-License-Identifier: MIT
// Answers questions about sets: of a sum, of one node, or of any nodes together, whose rows are then added. A part at a time:
// each turn of the generator is a bounded number of rows, so that reports and other questions come between.

import { type Histogram, MAX_BUCKETS, quantile } from '../histogram/histogram.ts'
import { HistogramSum } from '../histogram/sum.ts'
import { addGauge, type Gauge, type Gauges } from './measured.ts'
import { type PackedMeasured, readable } from './packed-measured.ts'
import type { RingStore } from './ring-store.ts'
import type { Plan } from './rings.ts'
import { rowsOf } from './rows.ts'
import type { StageName } from './windows.ts'

/** Ids of sums or nodes (subjects.ts); what nothing was measured of is no error. */
export type AskedSet = readonly {
  id: string
  /** Only what requests of this generation did; null: of all. */
  generation: number | null
}[]
export type Wanted = {
  stages: readonly StageName[]
  /** 0…1 */
  quantiles: readonly number[]
  counters: readonly string[]
  gauges: readonly string[]
}
export type SetsQuery = Plan & { sets: AskedSet[]; wanted: Wanted }
export type HeatmapQuery = Plan & { set: AskedSet; stage: StageName }

/** A value for each step; null: nothing was measured in it. */
type Column = (number | null)[]
export type StageColumns = {
  count: Column
  /** All of them together: of each stage beside the total, where time goes. */
  sumSeconds: Column
  maxSeconds: Column
  /** In the order of what was asked for. */
  quantiles: Column[]
}
export type SetColumns = {
  /** Of how many nodes the step was measured, on average: of half of it, half a node. */
  nodes: number[]
  stages: Record<string, StageColumns>
  counters: Record<string, Column>
  gauges: Record<string, { mean: Column; max: Column }>
}
/** For each step the first bucket's index and the counts from there on; null: nothing was measured. */
export type Heatmap = ({ zeroCount: number; offset: number; counts: number[] } | null)[]

type Rings = Pick<RingStore, 'steps' | 'subjects' | 'rollUp'>
/** Rows that are read in one turn, and subjects, for many may have none. */
const ROWS_AT_ONCE = 500
const SUBJECTS_AT_ONCE = 100

export type Step = {
  coveredMs: number
  stages: Map<StageName, HistogramSum>
  /** Those of all stages. */
  buckets?: Float64Array<ArrayBuffer>
  counters: Map<string, number>
  gauges: Gauges
}

export function* querySets(rings: Rings, query: SetsQuery): Generator<void, SetColumns[]> {
  const columns: SetColumns[] = []
  for (const set of query.sets) {
    const steps = yield* readSet(rings, set, query, query.wanted)
    columns.push(toColumns(steps, query))
  }
  return columns
}

export function* queryHeatmap(rings: Rings, query: HeatmapQuery): Generator<void, Heatmap> {
  const { set, stage } = query
  const wanted = { stages: [stage], quantiles: [], counters: [], gauges: [] }
  const steps = yield* readSet(rings, set, query, wanted)
  return steps.map((step) => {
    if (!step) return null
    const { zeroCount, offset, counts } = histogramOf(step, stage)
    return { zeroCount, offset, counts }
  })
}

/** What a set did, step by step; null: nothing was measured. */
export function* readSet(
  rings: Rings,
  set: AskedSet,
  plan: Plan,
  wanted: Wanted,
): Generator<void, (Step | null)[]> {
  const { fromSeconds, toSeconds, stepSeconds } = plan
  const steps: (Step | null)[] = Array((toSeconds - fromSeconds) / stepSeconds).fill(null)
  let rows = 0
  for (const [i, { id, generation }] of set.entries()) {
    if (i % SUBJECTS_AT_ONCE === SUBJECTS_AT_ONCE - 1) yield
    const subject = rings.subjects.find(id)
    if (subject === undefined) continue
    for (const { step: seconds, row } of rowsOf(rings, subject, plan)) {
      if (++rows % ROWS_AT_ONCE === 0) yield
      const packed = readable(row)
      if (!packed) continue
      const index = Math.floor((seconds - fromSeconds) / stepSeconds)
      const step = steps[index] ?? emptyStep()
      steps[index] = step
      add(step, packed, generation, wanted)
    }
  }
  return steps
}

const emptyStep = (): Step => ({
  coveredMs: 0,
  stages: new Map(),
  counters: new Map(),
  gauges: new Map(),
})

function add(
  step: Step,
  packed: PackedMeasured,
  generation: number | null,
  { stages, counters, gauges }: Wanted,
): void {
  step.coveredMs += packed.coveredMs
  if (gauges.length > 0) {
    readable(() =>
      packed.eachGauge((name, gauge) => {
        if (gauges.includes(name)) addGauge(step.gauges, name, gauge)
      }),
    )
  }
  for (const series of packed.series) {
    if (generation !== null && series.generation !== generation) continue
    series.addStages((stage) =>
      stages.includes(stage) ? sumIn(step, stage, stages.length) : undefined,
    )
    if (counters.length === 0) continue
    readable(() =>
      series.eachCounter((name, value) => {
        if (!counters.includes(name)) return
        step.counters.set(name, (step.counters.get(name) ?? 0) + value)
      }),
    )
  }
}

function sumIn(step: Step, stage: StageName, most: number): HistogramSum {
  let sum = step.stages.get(stage)
  if (!sum) {
    step.buckets ??= new Float64Array(most * MAX_BUCKETS)
    const from = step.stages.size * MAX_BUCKETS
    sum = new HistogramSum(step.buckets.subarray(from, from + MAX_BUCKETS))
    step.stages.set(stage, sum)
  }
  return sum
}

const NOTHING = new HistogramSum()
export const histogramOf = (step: Step, stage: StageName): Histogram =>
  (step.stages.get(stage) ?? NOTHING).toHistogram()

function toColumns(steps: (Step | null)[], { stepSeconds, wanted }: SetsQuery): SetColumns {
  const column = (read: (step: Step) => number | null): Column =>
    steps.map((step) => (step ? read(step) : null))
  const stageColumns = (stage: StageName): StageColumns => {
    const histograms = steps.map((step) => (step ? histogramOf(step, stage) : null))
    const of = (read: (h: Histogram) => number | null): Column =>
      histograms.map((h) => (h ? read(h) : null))
    return {
      count: of((h) => h.count),
      sumSeconds: of((h) => h.sumSeconds),
      maxSeconds: of((h) => (h.count > 0 ? h.maxSeconds : null)),
      quantiles: wanted.quantiles.map((q) => of((h) => quantile(h, q))),
    }
  }
  const { stages, counters, gauges } = wanted
  return {
    nodes: steps.map((step) => (step ? step.coveredMs / 1000 / stepSeconds : 0)),
    stages: Object.fromEntries(stages.map((stage) => [stage, stageColumns(stage)])),
    counters: Object.fromEntries(
      counters.map((name) => [name, column(({ counters: sums }) => sums.get(name) ?? 0)]),
    ),
    gauges: Object.fromEntries(
      gauges.map((name) => {
        const of = (read: (gauge: Gauge) => number) =>
          column(({ gauges: had }) => {
            const gauge = had.get(name)
            return gauge ? read(gauge) : null
          })
        return [name, { mean: of(({ sum, count }) => sum / count), max: of(({ max }) => max) }]
      }),
    ),
  }
}
