// SPDX-License-Identifier: MIT
// The rows of the plans that were asked for last, so that one can page through a plan: to make it anew for each page would
// take a second of a core at ten thousand nodes, and the pages would be of different plans. Each for who asked for it, in
// memory only.
import { Kept } from '../../../base/kept.ts'
import type { PlannedRow } from '../shapes/plan-schema.ts'

/** A row takes some 400 bytes. */
const MOST_ROWS = 50_000
const MOST_PLANS = 100

/** `owner`: who it was shown to, and within which scope. */
export function createKeptPlans({ mostRows = MOST_ROWS }: { mostRows?: number } = {}) {
  const kept = new Kept<readonly PlannedRow[]>({ most: MOST_PLANS, mostBytes: mostRows })
  const keyOf = (owner: string, planDigest: string) => `${owner} ${planDigest}`
  return {
    keep(owner: string, planDigest: string, rows: readonly PlannedRow[]): void {
      kept.set(keyOf(owner, planDigest), rows, rows.length)
    },
    /** undefined: too many others were asked for since, or the service has started. */
    rowsOf: (owner: string, planDigest: string) => kept.get(keyOf(owner, planDigest)),
  }
}
