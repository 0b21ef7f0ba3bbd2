// SPDX-License-Identifier: MIT
// The farm in a few hundred bytes, whatever its size. Every screen asks again and again, and each answer takes a look at
// every node: so whoever asks while one is made, or soon after, gets that one.
import type { Static } from 'typebox'
import { describeScope, type Scope } from '../../access/scope.ts'
import type { RolloutState } from '../../api-shapes/states.ts'
import type { FarmSummarySchema } from './schema.ts'

type FarmSummary = Static<typeof FarmSummarySchema>
type SyncState = keyof FarmSummary['nodes']['byState']

type Deps = {
  now: () => number
  monotonicMs: () => number
  countNodes: (scope: Scope) => Promise<{
    total: number
    byState: ReadonlyMap<SyncState, number>
    cordoned: number
    silent: { id: string; name: string; lastSeenAtMs: number | null }[]
    versions: ReadonlyMap<string, ReadonlyMap<number, number>>
  }>
  rolloutsNow: (scope: Scope) => Promise<{
    underWay: number
    waiting: number
    named: {
      id: string
      config: string
      version: number
      state: RolloutState
      totalNodes: number
      doneNodes: number
    }[]
    configs: ReadonlySet<string>
  }>
}
type Known = { summary: Promise<FarmSummary>; untilMs: number }

const FRESH_MS = 1000
/** A look at a large farm is to take a tenth of the time at most. */
const PAUSE = 9
const SCOPES_KEPT = 64
const MIXED_SHOWN = 10
const VERSIONS_SHOWN = 10
const RUNNING_SHOWN = 10

/** Of the nodes within the scope. */
export function createFarmSummary(deps: Deps): (scope: Scope) => Promise<FarmSummary> {
  const { monotonicMs } = deps
  const known = new Map<string, Known>()

  return (scope) => {
    const key = describeScope(scope)
    const before = known.get(key)
    if (before && before.untilMs > monotonicMs()) return before.summary
    const startMs = monotonicMs()
    const one: Known = { summary: look(deps, scope), untilMs: Number.POSITIVE_INFINITY }
    known.delete(key)
    known.set(key, one)
    for (const oldest of known.keys()) {
      if (known.size <= SCOPES_KEPT) break
      known.delete(oldest)
    }
    one.summary.then(
      () => {
        const tookMs = monotonicMs() - startMs
        one.untilMs = monotonicMs() + Math.max(FRESH_MS, tookMs * PAUSE)
      },
      () => known.delete(key),
    )
    return one.summary
  }
}

async function look({ now, countNodes, rolloutsNow }: Deps, scope: Scope): Promise<FarmSummary> {
  const asOf = iso(now())
  const { configs, ...rollouts } = await rolloutsNow(scope)
  const { total, byState, cordoned, silent, versions } = await countNodes(scope)
  const count = (state: SyncState) => byState.get(state) ?? 0
  const mixed = [...versions]
    .filter(([config, { size }]) => size > 1 && !configs.has(config))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MIXED_SHOWN)
  return {
    asOf,
    nodes: {
      total,
      byState: {
        'in-sync': count('in-sync'),
        applying: count('applying'),
        'out-of-sync': count('out-of-sync'),
        drift: count('drift'),
        unknown: count('unknown'),
        waiting: count('waiting'),
      },
      cordoned,
      silent: silent.map(({ id, name, lastSeenAtMs }) => ({
        ...{ id, name },
        lastSeenAt: lastSeenAtMs === null ? null : iso(lastSeenAtMs),
      })),
    },
    mixed: mixed.map(([config, numbers]) => ({
      config,
      versions: [...numbers.keys()].toSorted((a, b) => a - b).slice(0, VERSIONS_SHOWN),
      more: Math.max(0, numbers.size - VERSIONS_SHOWN),
    })),
    ...runningOf(versions),
    rollouts,
  }
}

/** What most nodes run first; of what equally many run the newest version. */
function runningOf(versions: ReadonlyMap<string, ReadonlyMap<number, number>>) {
  const all = [...versions].flatMap(([config, counts]) =>
    [...counts].map(([version, nodes]) => ({ config, version, nodes })),
  )
  const running = all
    .toSorted((a, b) => b.nodes - a.nodes || byName(a.config, b.config) || b.version - a.version)
    .slice(0, RUNNING_SHOWN)
  return { running, moreRunning: all.length - running.length }
}

const byName = (a: string, b: string) => Number(a > b) - Number(a < b)
const iso = (ms: number) => new Date(ms).toISOString()
