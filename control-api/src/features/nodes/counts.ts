// SPDX-License-Identifier: MIT
// How many nodes are in which state, as the console shows them. Page by page: others have their turn between.

import type { Kysely } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Identity } from '../../control-plane/identity.ts'
import type { Database } from '../../db/database.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { SyncState } from './schema.ts'
import { readStandings, seenAtMs, syncOfStanding } from './standings.ts'
import { nodesPage } from './store.ts'

type Deps = {
  db: Kysely<Database>
  identity: Pick<Identity, 'epoch'>
  fleet: Pick<Fleet, 'presence'>
}

export type NodeCounts = {
  total: number
  byState: ReadonlyMap<SyncState, number>
  /** Some of those in state unknown, by name. */
  silent: { id: string; name: string; lastSeenAtMs: number | null }[]
  /** By config: the versions that nodes run. */
  versions: ReadonlyMap<string, ReadonlySet<number>>
}

const PAGE = 200
const NAMED = 3

export function createNodeCounts({ db, identity, fleet }: Deps) {
  return async (scope: Scope): Promise<NodeCounts> => {
    const byState = new Map<SyncState, number>()
    const silent: NodeCounts['silent'] = []
    const versions = new Map<string, Set<number>>()
    let total = 0
    for (let after: string | undefined; ; await nextTurn()) {
      const rows = await nodesPage(db, { ...EVERY, scope, after })
      for (const standing of await readStandings(db, rows)) {
        const { row, running } = standing
        const presence = fleet.presence(row.id)
        // Why one is silent is not told here.
        const { state } = syncOfStanding(standing, {
          ...{ presence, epoch: identity.epoch, identity: 'good' },
        })
        byState.set(state, (byState.get(state) ?? 0) + 1)
        if (state === 'unknown' && silent.length < NAMED) {
          silent.push({ id: row.id, name: row.name, lastSeenAtMs: seenAtMs(row, presence) })
        }
        if (running) {
          const numbers = versions.get(running.config) ?? new Set()
          versions.set(running.config, numbers.add(running.version))
        }
      }
      total += rows.length
      after = rows.at(-1)?.name
      if (rows.length < PAGE) return { total, byState, silent, versions }
    }
  }
}

const EVERY = {
  ...{ limit: PAGE, selector: [], among: [] },
  ...{ name: undefined, q: undefined, cordoned: undefined },
}
