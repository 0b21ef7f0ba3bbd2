// SPDX-License-Identifier: MIT
// Answers questions about sets: of a sum, of one node, or of any nodes together, whose rows are then added. A part at a time:
// each turn of the generator is a bounded number of rows, so that reports and other questions come between.

import { type Histogram, MAX_BUCKETS, quantile } from '../histogram/histogram.ts'
import { HistogramSum } from '../histogram/sum.ts'
import { addGauge, type Gauges } from './measured.ts'
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
  for (const set of query.sets) columns.push(yield* readColumns(rings, set, query))
  return columns
}

export function* queryHeatmap(rings: Rings, query: HeatmapQuery): Generator<void, Heatmap> {
  const { set, stage } = query
  const wanted = { stages: [stage], quantiles: [], counters: [], gauges: [] }
  const map: Heatmap = Array(stepsIn(query)).fill(null)
  yield* eachStep(rings, set, query, wanted, (step, index) => {
    const { zeroCount, offset, counts } = histogramOf(step, stage)
    map[index] = { zeroCount, offset, counts }
  })
  return map
}

/** What a set did, step by step; null: nothing was measured. */
export function* readSet(
  rings: Rings,
  set: AskedSet,
  plan: Plan,
  wanted: Wanted,
): Generator<void, (Step | null)[]> {
  const steps: (Step | null)[] = Array(stepsIn(plan)).fill(null)
  const read = { rows: 0 }
  for (const [i, one] of set.entries()) {
    if (i % SUBJECTS_AT_ONCE === SUBJECTS_AT_ONCE - 1) yield
    yield* eachRow(rings, one, plan, read, (packed, index) => {
      const step = steps[index] ?? emptyStep()
      steps[index] = step
      add(step, packed, one.generation, wanted)
    })
  }
  return steps
}

/**
 * Shows each step that something was measured in, once it is whole; it is the caller's until `visit` returns. A set of one is
 * read in the order of time, so that one step after the other takes the same memory: a day of minutes would be 1,440 times 16 KiB.
 */
function* eachStep(
  rings: Rings,
  set: AskedSet,
  plan: Plan,
  wanted: Wanted,
  visit: (step: Step, index: number) => void,
): Generator<void, void> {
  const [one, ...others] = set
  if (!one || others.length > 0) {
    const steps = yield* readSet(rings, set, plan, wanted)
    for (const [index, step] of steps.entries()) if (step) visit(step, index)
    return
  }
  const step = emptyStep()
  let at: number | null = null
  const end = () => {
    if (at !== null) visit(step, at)
    clear(step)
  }
  yield* eachRow(rings, one, plan, { rows: 0 }, (packed, index) => {
    if (index !== at) end()
    at = index
    add(step, packed, one.generation, wanted)
  })
  end()
}

function* eachRow(
  rings: Rings,
  { id }: AskedSet[number],
  plan: Plan,
  /** So far, of all subjects: many with few rows each take turns as well. */
  read: { rows: number },
  visit: (packed: PackedMeasured, index: number) => void,
): Generator<void, void> {
  const subject = rings.subjects.find(id)
  if (subject === undefined) return
  for (const { step: seconds, row } of rowsOf(rings, subject, plan)) {
    if (++read.rows % ROWS_AT_ONCE === 0) yield
    const packed = readable(row)
    if (packed) visit(packed, Math.floor((seconds - plan.fromSeconds) / plan.stepSeconds))
  }
}

const stepsIn = ({ fromSeconds, toSeconds, stepSeconds }: Plan) =>
  (toSeconds - fromSeconds) / stepSeconds

const emptyStep = (): Step => ({
  coveredMs: 0,
  stages: new Map(),
  counters: new Map(),
  gauges: new Map(),
})

function clear(step: Step): void {
  step.coveredMs = 0
  for (const sum of step.stages.values()) sum.clear()
  step.counters.clear()
  step.gauges.clear()
}

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

function* readColumns(rings: Rings, set: AskedSet, query: SetsQuery): Generator<void, SetColumns> {
  const { stepSeconds, wanted } = query
  const column = (): Column => Array(stepsIn(query)).fill(null)
  const columnsOf = <T>(names: readonly string[], made: () => T) =>
    Object.fromEntries(names.map((name) => [name, made()]))
  const columns: SetColumns = {
    nodes: Array(stepsIn(query)).fill(0),
    stages: columnsOf(wanted.stages, () => ({
      ...{ count: column(), sumSeconds: column(), maxSeconds: column() },
      quantiles: wanted.quantiles.map(column),
    })),
    counters: columnsOf(wanted.counters, column),
    gauges: columnsOf(wanted.gauges, () => ({ mean: column(), max: column() })),
  }
  yield* eachStep(rings, set, query, wanted, (step, index) => {
    columns.nodes[index] = step.coveredMs / 1000 / stepSeconds
    for (const stage of wanted.stages) {
      const into = columns.stages[stage]
      if (into) writeStage(into, index, step.stages.get(stage) ?? NOTHING, wanted.quantiles)
    }
    for (const [name, into] of Object.entries(columns.counters)) {
      into[index] = step.counters.get(name) ?? 0
    }
    for (const [name, { mean, max }] of Object.entries(columns.gauges)) {
      const gauge = step.gauges.get(name)
      mean[index] = gauge ? gauge.sum / gauge.count : null
      max[index] = gauge?.max ?? null
    }
  })
  return columns
}

function writeStage(
  into: StageColumns,
  index: number,
  sum: HistogramSum,
  quantiles: readonly number[],
): void {
  const counted = sum.counted()
  into.count[index] = counted.count
  into.sumSeconds[index] = sum.sumSeconds
  into.maxSeconds[index] = counted.count > 0 ? sum.maxSeconds : null
  for (const [i, q] of quantiles.entries()) {
    const column = into.quantiles[i]
    if (column) column[index] = quantile(counted, q)
  }
}
