// SPDX-License-Identifier: MIT
// Which nodes a list has, in which order, and where its page begins. Pure.

import type { SyncState } from '../../api-shapes/node-facts.ts'
import type { Selector } from '../../labels/selector.ts'
import { matches } from '../../labels/selector.ts'
import type { LatencySummary } from '../../metrics-store/metrics.ts'
import type { IndexedNode } from './farm-index.ts'
import type { IdentityState } from './rules.ts'
import type { NodeSort } from './schema.ts'

export type NodeFilter = {
  name?: string | undefined
  /** Words, each of which is a part of its name, host name or labels. */
  q?: string | undefined
  state?: SyncState | undefined
  connected?: boolean | undefined
  cordoned?: boolean | undefined
  behind?: boolean | undefined
  refused?: boolean | undefined
  identity?: IdentityState | undefined
  config?: string | undefined
  version?: number | undefined
  group?: string | undefined
  selector: Selector
}

export function isWanted(filter: NodeFilter): (one: IndexedNode) => boolean {
  const { name, state, connected, cordoned, behind, refused, identity } = filter
  const { config, version, group, selector } = filter
  const words = (filter.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const is = <T>(wanted: T | undefined, value: T) => wanted === undefined || wanted === value
  return ({ node, ...now }) =>
    is(name, node.name) &&
    is(state, now.state) &&
    is(connected, now.connected) &&
    is(cordoned, node.isCordoned) &&
    is(behind, node.isBehind) &&
    is(refused, node.isRefusing) &&
    is(identity, now.identity) &&
    is(config, node.running?.config) &&
    is(version, node.running?.version) &&
    is(group, node.group) &&
    words.every((word) => node.text.includes(word)) &&
    matches(selector, node.labels)
}

/** Worst first: what an operator looks for. */
const URGENCY = ['out-of-sync', 'drift', 'unknown', 'applying', 'waiting', 'in-sync'] as const
const rankOf = new Map<SyncState, number>(URGENCY.map((state, rank) => [state, rank]))

export type Value = string | number | null
export type Latencies = ReadonlyMap<string, LatencySummary>
type Measure = (latency: LatencySummary) => number | null

/** Of no requests there is no share. */
const shareOf =
  (key: 'errorRatio' | 'clientErrorRatio'): Measure =>
  (latency) =>
    latency.requests === 0 ? null : latency[key]

const MEASURES: Partial<Record<NodeSort, Measure>> = {
  p50: (latency) => latency.p50Seconds,
  p99: (latency) => latency.p99Seconds,
  rate: (latency) => latency.requestsPerSecond,
  errors: shareOf('errorRatio'),
  clientErrors: shareOf('clientErrorRatio'),
}

/** By what was measured of each: that takes a look at the last minute of every node of the list. */
export const isMeasured = (sort: NodeSort): boolean => MEASURES[sort] !== undefined

/** null: nothing is known; such nodes come last, whichever way. */
export function sortValueOf(
  sort: NodeSort,
  { node, ...now }: IndexedNode,
  latencies: Latencies,
): Value {
  const measure = MEASURES[sort]
  if (measure) {
    const latency = latencies.get(node.id)
    return latency ? measure(latency) : null
  }
  switch (sort) {
    case 'state':
      return rankOf.get(now.state) ?? null
    case 'group':
      return node.group
    case 'seen':
      return now.lastSeenAtMs
    default:
      return node.name
  }
}

/** A node and what it is sorted by; nodes of the same value go by name. */
export type Place = { value: Value; name: string }

export const comparing =
  (isDescending: boolean) =>
  (one: Place, other: Place): number => {
    const [a, b] = [one.value, other.value]
    if (a !== b) {
      if (a === null || b === null) return a === null ? 1 : -1
      return a < b === isDescending ? 1 : -1
    }
    return one.name === other.name ? 0 : one.name < other.name ? -1 : 1
  }
