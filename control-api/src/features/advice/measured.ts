// SPDX-License-Identifier: MIT
// What rules read of a node's windows: sums over all of them, and shares with how far they may be trusted. Pure.
import { type Histogram, mergeHistograms } from '../../histogram/histogram.ts'
import {
  FEWEST_UNITS,
  type Interval,
  quantileRatio,
  type Share,
  shareInterval,
} from '../../metrics-store/bootstrap.ts'
import type { Unit } from '../../metrics-store/units.ts'
import type { StageName } from '../../metrics-store/windows.ts'

export type Units = readonly Unit[]

/** The same windows have the same advice. */
const SEED = 1

/** Of fewer windows no interval means anything, and without one nothing is advised. */
export const areEnough = (units: Units) => units.length >= FEWEST_UNITS

export function stageOf(units: Units, stage: StageName): Histogram | null {
  const measured = units.flatMap((unit) => unit.stages[stage] ?? [])
  return measured.length > 0 ? measured.reduce(mergeHistograms) : null
}

export const secondsOf = (unit: Unit, ...stages: StageName[]) =>
  stages.reduce((sum, stage) => sum + (unit.stages[stage]?.sumSeconds ?? 0), 0)

export const counted = (unit: Unit, ...names: string[]) =>
  names.reduce((sum, name) => sum + (unit.counters[name] ?? 0), 0)

export const sumOf = (units: Units, read: (unit: Unit) => number) =>
  units.reduce((sum, unit) => sum + read(unit), 0)

export const greatest = (units: Units, gauge: string) =>
  Math.max(0, ...units.map((unit) => unit.gauges[gauge]?.max ?? 0))

/** As it was reported last; 0: it never was. */
export const latest = (units: Units, gauge: string) =>
  units.findLast((unit) => unit.gauges[gauge])?.gauges[gauge]?.max ?? 0

/** null: of none of it was anything measured. */
export const shareIn = (units: Units, read: (unit: Unit) => Share): Interval | null =>
  shareInterval(units.map(read), { seed: SEED })

/** How many times the quantile of one stage that of the other is. */
export function timesAs(
  units: Units,
  stages: { one: StageName; other: StageName },
  q: number,
): Interval | null {
  const [one, other] = [stages.one, stages.other].map((stage) =>
    units.flatMap((unit) => unit.stages[stage] ?? []),
  )
  return quantileRatio(one ?? [], other ?? [], { q, seed: SEED })
}
