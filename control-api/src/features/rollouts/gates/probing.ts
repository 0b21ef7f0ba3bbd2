// SPDX-License-Identifier: MIT
// Where visitors make too few requests, nodes make them: how many, and which nodes. Pure.

/** One of the two that are compared: its nodes that can, and the requests measured so far. */
export type Side = { nodeIds: readonly string[]; requests: number }
export type Wanted = { nodeIds: readonly string[]; count: number; perSecond: number }
type Missing = { canary: Side; control: Side; minSamples: number }

/** Of one node, as the protocol has it. */
const MOST_PER_SECOND = 50
const MOST_REQUESTS = 2_000
/** Of each side; more show no more. */
const MOST_NODES = 20
/** A verdict is drawn from windows of a few seconds: it needs several of them. */
const SPREAD_SECONDS = 20
/** Until what was asked for last is reported too. */
const REPORTED_AFTER_MS = 10_000

/** Each node is asked for as many, on both sides, so that they are compared doing the same. null: none. */
export function whatToProbe({ canary, control, minSamples }: Missing): Wanted | null {
  const sides = [canary, control].map(({ nodeIds, requests }) => ({
    nodeIds: nodeIds.toSorted().slice(0, MOST_NODES),
    missing: minSamples - requests,
  }))
  // One without the other proves nothing.
  if (sides.some(({ nodeIds }) => nodeIds.length === 0)) return null
  const each = sides.map(({ nodeIds, missing }) => Math.ceil(missing / nodeIds.length))
  const count = Math.min(MOST_REQUESTS, Math.max(...each))
  if (count <= 0) return null
  const perSecond = Math.min(MOST_PER_SECOND, Math.ceil(count / SPREAD_SECONDS))
  return { nodeIds: sides.flatMap(({ nodeIds }) => nodeIds), count, perSecond }
}

/** Until then, looking again would only ask for the same again. */
export const probedWithinMs = ({ count, perSecond }: Wanted): number =>
  Math.ceil(count / perSecond) * 1000 + REPORTED_AFTER_MS
