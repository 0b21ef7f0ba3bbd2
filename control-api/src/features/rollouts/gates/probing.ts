// SPDX-License-Identifier: MIT
// Where visitors make too few requests, nodes make them: how many, and which nodes. Pure.
import { RHYTHM } from '../../../fleet/rhythm.ts'

/** One of the two that are compared: its nodes that can, and the requests measured so far. */
export type Side = { nodeIds: readonly string[]; requests: number }
export type Wanted = { nodeIds: readonly string[]; count: number; perSecond: number }
type Missing = { canary: Side; control: Side; minSamples: number; reportEveryMs?: number }

/** Of one node, as the protocol has it. */
const MOST_PER_SECOND = 50
const MOST_REQUESTS = 2_000
/** Of each side; more show no more. */
const MOST_NODES = 20
/** A verdict is drawn from what was reported: it needs several windows. */
const SPREAD_REPORTS = 4
/** Until what was asked for last is reported too. */
const REPORTED_AFTER_REPORTS = 2

/** Each node is asked for as many, on both sides, so that they are compared doing the same. null: none. */
export function whatToProbe({
  canary,
  control,
  minSamples,
  reportEveryMs = RHYTHM.reportEveryMs,
}: Missing): Wanted | null {
  const sides = [canary, control].map(({ nodeIds, requests }) => ({
    nodeIds: nodeIds.toSorted().slice(0, MOST_NODES),
    missing: minSamples - requests,
  }))
  // One without the other proves nothing.
  if (sides.some(({ nodeIds }) => nodeIds.length === 0)) return null
  const each = sides.map(({ nodeIds, missing }) => Math.ceil(missing / nodeIds.length))
  const count = Math.min(MOST_REQUESTS, Math.max(...each))
  if (count <= 0) return null
  const spreadSeconds = (SPREAD_REPORTS * reportEveryMs) / 1000
  const perSecond = Math.min(MOST_PER_SECOND, Math.ceil(count / spreadSeconds))
  return { nodeIds: sides.flatMap(({ nodeIds }) => nodeIds), count, perSecond }
}

/** Until then, looking again would only ask for the same again. */
export const probedWithinMs = (
  { count, perSecond }: Wanted,
  reportEveryMs = RHYTHM.reportEveryMs,
): number => Math.ceil(count / perSecond) * 1000 + REPORTED_AFTER_REPORTS * reportEveryMs
