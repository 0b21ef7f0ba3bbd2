// SPDX-License-Identifier: MIT
// What tasks show of their nodes as they are at this moment: whether they are there, and whether they are cordoned.
import { sql } from 'kysely'
import type { Reader } from '../../../db/database.ts'
import type { Connected } from '../../../fleet/connections.ts'
import { type Cordon, cordonOf } from '../../../fleet/cordon.ts'
import type { Task } from '../reducer/model.ts'
import { copyOf, noteShown, placeOf, replace, shownBy, which } from '../reducer/places.ts'

type Seen = { connected: Connected; cordons: ReadonlyMap<string, Cordon> }

/**
 * Of nodes that are not decommissioned; the others are offered nothing anyway. Its index is named, for SQLite takes another
 * one by itself and reads every node there is, with each message of each.
 */
export async function cordonsNow(db: Reader): Promise<Map<string, Cordon>> {
  const { rows } = await sql<{ id: string; cordon: string | null }>`
    select id, cordon from nodes indexed by nodes_cordoned
    where cordon is not null and decommissioned_at_ms is null`.execute(db)
  return new Map(
    rows.flatMap((row) => {
      const cordon = cordonOf(row)
      return cordon ? [[row.id, cordon]] : []
    }),
  )
}

/** The same list when nothing is new. Looks at who came or went, and at who is cordoned or was; at all others the first time only. */
export function seenNow(tasks: readonly Task[], now: Seen): readonly Task[] {
  const { connected, cordons } = now
  const { mark } = connected
  let seen: Task[] | null = null
  for (const at of placesToLookAt(tasks, now)) {
    const task = (seen ?? tasks)[at]
    if (!task) continue
    const isConnected = connected.has(task.nodeId)
    const cordon = cordons.get(task.nodeId) ?? null
    if (isConnected === task.isConnected && isSame(cordon, task.cordon)) continue
    seen ??= copyOf(tasks)
    replace(seen, at, { ...task, isConnected, cordon })
  }
  noteShown(seen ?? tasks, { of: connected, mark })
  return seen ?? tasks
}

function placesToLookAt(tasks: readonly Task[], { connected, cordons }: Seen): Iterable<number> {
  const before = shownBy(tasks)
  const changed = before?.of === connected ? connected.changedSince(before.mark) : null
  if (changed === null) return tasks.keys()
  const cordoned = which(tasks, isCordoned).map(({ nodeId }) => nodeId)
  return [...changed, ...cordoned, ...cordons.keys()].flatMap((id) => placeOf(tasks, id) ?? [])
}

const isCordoned = ({ cordon }: Task) => cordon !== null

const isSame = (a: Cordon | null, b: Cordon | null) =>
  a === b || (a?.by === b?.by && a?.atMs === b?.atMs && a?.reason === b?.reason)
