// SPDX-License-Identifier: MIT
// What was measured in one step of time, of a node or of many: everything in it adds, so a longer step, a group or the
// whole farm is the sum of its parts.
import { mergeHistograms } from '../histogram/histogram.ts'
import type { Counters, PlacedWindow, StageName, Stages } from './windows.ts'

/** Of values that a node has at a moment: their mean is sum / count. */
export type Gauge = { sum: number; max: number; count: number }
export type Gauges = Map<string, Gauge>
export type Measured = {
  /** Time of the windows in it; of two nodes twice as much. */
  coveredMs: number
  gauges: Gauges
  /** By config generation; of each the time of the windows in which it was asked for anything. */
  series: Map<number, Counted>
}
export type Counted = { coveredMs: number; counters: Counters; stages: Stages }

const MAX_COUNTER_NAMES = 256
const MAX_GAUGE_NAMES = 256
/** More in one step are a node that invents them: they are counted as one of their own. */
const MAX_GENERATIONS = 64
const OTHER_GENERATIONS = 0

export const nothingMeasured = (): Measured => ({
  coveredMs: 0,
  gauges: new Map(),
  series: new Map(),
})

export function addWindow(into: Measured, { durationMs, series }: PlacedWindow): void {
  into.coveredMs += durationMs
  for (const { generation, counters, stages } of series) {
    addCounted(into, generation, { coveredMs: durationMs, counters, stages })
  }
}

export function addMeasured(into: Measured, more: Measured): void {
  into.coveredMs += more.coveredMs
  for (const [name, gauge] of more.gauges) addGauge(into.gauges, name, gauge)
  for (const [generation, one] of more.series) addCounted(into, generation, one)
}

/** As one: what many nodes did has no generation in common. */
export function withoutGenerations(measured: Measured): Measured {
  const { coveredMs, gauges, series } = measured
  const into = { ...nothingMeasured(), coveredMs, gauges }
  for (const one of series.values()) addCounted(into, OTHER_GENERATIONS, one)
  return into
}

export function addGauges(into: Measured, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    addGauge(into.gauges, name, { sum: value, max: value, count: 1 })
  }
}

export function addGauge(into: Gauges, name: string, { sum, max, count }: Gauge): void {
  const same = into.get(name)
  if (!same && into.size >= MAX_GAUGE_NAMES) return
  into.set(name, {
    sum: (same?.sum ?? 0) + sum,
    max: Math.max(same?.max ?? max, max),
    count: (same?.count ?? 0) + count,
  })
}

function addCounted(into: Measured, generation: number, more: Counted): void {
  const isRoom = into.series.has(generation) || into.series.size < MAX_GENERATIONS
  const key = isRoom ? generation : OTHER_GENERATIONS
  const same = into.series.get(key)
  if (!same) return void into.series.set(key, { ...more, counters: bounded(more.counters) })
  same.coveredMs += more.coveredMs
  same.counters = addCounters(same.counters, more.counters)
  same.stages = addStages(same.stages, more.stages)
}

const bounded = (counters: Counters) => addCounters({}, counters)

function addCounters(a: Counters, b: Counters): Counters {
  const sums = new Map(Object.entries(a))
  for (const [name, value] of Object.entries(b)) {
    if (!sums.has(name) && sums.size >= MAX_COUNTER_NAMES) continue
    sums.set(name, Math.min((sums.get(name) ?? 0) + value, Number.MAX_SAFE_INTEGER))
  }
  return Object.fromEntries(sums)
}

function addStages(a: Stages, b: Stages): Stages {
  const sums = { ...a }
  for (const [stage, histogram] of Object.entries(b) as [StageName, Stages[StageName]][]) {
    if (!histogram || histogram.count === 0) continue
    const same = sums[stage]
    sums[stage] = same ? mergeHistograms(same, histogram) : histogram
  }
  return sums
}
