// SPDX-License-Identifier: MIT
// What an event about a node brings along: how it stands now, read once for all streams that tell of it, and of many
// nodes in one look. When many change at once nothing is brought: to read a list again is less work for everybody.
import type { Kysely } from 'kysely'
import type { NodeFacts } from '../../api-shapes/node-facts.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Identity } from '../../control-plane/identity.ts'
import type { Database } from '../../db/database.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { newestCertificates } from '../../node-identity/store/certificates.ts'
import { identityNow, identityOf } from './identity-state.ts'
import { readStandings, seenAtMs, syncOfStanding } from './standings.ts'
import { nodesOf } from './store.ts'
import { viewConfigs } from './view.ts'

type Deps = {
  db: Kysely<Database>
  now: () => number
  monotonicMs: () => number
  identity: Pick<Identity, 'epoch'>
  isTls: boolean
  fleet: Pick<Fleet, 'presence'>
}
/** null: there is no such node, or too many changed. */
export type FactsOf = (nodeId: string) => Promise<NodeFacts | null>

/** Some 700 bytes each, to each stream: what a slow reader can take. */
const MOST_A_SECOND = 100

export function createNodeFacts(deps: Deps): FactsOf {
  let asked = new Set<string>()
  /** The look that has not begun: one that has may be older than what is asked about. */
  let next: Promise<ReadonlyMap<string, NodeFacts>> | null = null
  let last: Promise<unknown> = Promise.resolve()
  let secondBeganMs = Number.NEGATIVE_INFINITY
  let given = 0

  const hasRoom = (more: number): boolean => {
    const nowMs = deps.monotonicMs()
    if (nowMs - secondBeganMs >= 1000) {
      secondBeganMs = nowMs
      given = 0
    }
    given += more
    return given <= MOST_A_SECOND
  }

  const look = async (): Promise<ReadonlyMap<string, NodeFacts>> => {
    // What is told in one turn, to whichever stream, is asked about until then.
    await nextTurn()
    const ids = [...asked]
    asked = new Set()
    next = null
    return hasRoom(ids.length) ? await readFacts(deps, ids) : new Map()
  }

  return async (nodeId) => {
    asked.add(nodeId)
    if (next === null) {
      next = last.then(look)
      last = next.catch(() => {}) // its own askers are told
    }
    return (await next).get(nodeId) ?? null
  }
}

async function readFacts(
  { db, now, identity, isTls, fleet }: Deps,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NodeFacts>> {
  const rows = await nodesOf(db, ids)
  const certificates = await newestCertificates(db, ids)
  const standings = await readStandings(db, rows)
  const nowMs = now()
  return new Map(
    standings.map((standing): [string, NodeFacts] => {
      const { row } = standing
      const presence = fleet.presence(row.id)
      const known = identityOf(row, { certificate: certificates.get(row.id), isTls })
      const { state } = syncOfStanding(standing, {
        ...{ presence, epoch: identity.epoch, identity: identityNow(known, nowMs) },
      })
      const seenMs = seenAtMs(row, presence)
      return [
        row.id,
        {
          connected: presence.connected,
          lastSeenAt: seenMs === null ? null : new Date(seenMs).toISOString(),
          sync: { state, ...viewConfigs(standing) },
        },
      ]
    }),
  )
}
