// SPDX-License-Identifier: MIT
// Which nodes have most of something over a time.
import type { RingStore } from './ring-store.ts'
import type { Plan } from './rings.ts'
import type { AskedSet } from './sets.ts'
import { type Measure, valuesOf } from './values.ts'

export type TopQuery = Plan & { set: AskedSet; by: Measure; limit: number }
/** The greatest first; who has nothing of it is not among them. */
export type Top = {
  id: string
  value: number
  requests: number
  /** How much of the time was measured, in seconds. */
  coveredSeconds: number
}[]

export function* topOf(
  rings: Pick<RingStore, 'steps' | 'subjects' | 'rollUp'>,
  { set, by, limit, ...plan }: TopQuery,
): Generator<void, Top> {
  const sets = set.map((one) => [one])
  const valued = yield* valuesOf(rings, { ...plan, sets, measures: [by] })
  const found: Top = valued.flatMap((one, i) => {
    const value = one?.values[0] ?? null
    if (!one || value === null) return []
    const { requests, coveredSeconds } = one
    return [{ id: set[i]?.id ?? '', value, requests, coveredSeconds }]
  })
  return found.sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1)).slice(0, limit)
}
