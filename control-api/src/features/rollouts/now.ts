// SPDX-License-Identifier: MIT
// The rollouts that are not over, in a few words: for who looks at the whole farm.
import type { Scope } from '../../access/scope.ts'
import type { RolloutState } from '../../api-shapes/states.ts'
import type { Reader } from '../../db/database.ts'
import { isWaiting } from './reducer/model.ts'
import { unfinishedWithin } from './store/rollouts.ts'
import { countsWithin, totalStandings, totalsOf } from './store/task-counts.ts'
import { touchedBy } from './store/task-pages.ts'

const NAMED = 3

export type RolloutsNow = {
  underWay: number
  waiting: number
  /** The oldest of either kind. */
  named: {
    id: string
    config: string
    version: number
    state: RolloutState
    totalNodes: number
    doneNodes: number
  }[]
  /** What rollouts bring now. */
  configs: ReadonlySet<string>
}

/** Of the nodes within the scope. */
export async function rolloutsNow(db: Reader, scope: Scope): Promise<RolloutsNow> {
  const all = await unfinishedWithin(db, scope)
  const waiting = all.filter(({ state }) => isWaiting(state))
  const underWay = all.filter(({ state }) => !isWaiting(state))
  const named = [...underWay.slice(0, NAMED), ...waiting.slice(0, NAMED)]
  const counts = await countsWithin(db, named, scope)
  return {
    underWay: underWay.length,
    waiting: waiting.length,
    named: named.map(({ counts: _, ...one }) => {
      const { nodes, done } = totalsOf(totalStandings(counts.get(one.id) ?? {}))
      return { ...one, totalNodes: nodes, doneNodes: done }
    }),
    configs: new Set(underWay.map(({ config }) => config)),
  }
}

/** A letter for each. */
const DRAWN = 26

/** The rollouts under way, and which of them has come to which node: for a map of all nodes. */
export async function touchedNow(db: Reader, scope: Scope) {
  const all = await unfinishedWithin(db, scope)
  const named = all
    .filter(({ state }) => !isWaiting(state))
    .slice(0, DRAWN)
    .map(({ id, config, version }) => ({ id, config, version }))
  const rows = await touchedBy(
    db,
    named.map(({ id }) => id),
  )
  return { named, touchedBy: new Map(rows.map(({ nodeId, rolloutId }) => [nodeId, rolloutId])) }
}
