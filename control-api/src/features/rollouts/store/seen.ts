// SPDX-License-Identifier: MIT
// What tasks show of their nodes as they are at this moment: whether they are there, and whether they are cordoned.
import { sql } from 'kysely'
import type { Reader } from '../../../db/database.ts'
import { type Cordon, cordonOf } from '../../../fleet/cordon.ts'
import type { Task } from '../reducer/model.ts'
import { copyOf } from '../reducer/places.ts'

type Seen = {
  isConnected: (nodeId: string) => boolean
  cordons: ReadonlyMap<string, Cordon>
}

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

/** The same list when nothing is new. */
export function seenNow(tasks: readonly Task[], { isConnected, cordons }: Seen): readonly Task[] {
  let seen: Task[] | null = null
  for (const [at, task] of tasks.entries()) {
    const is = isConnected(task.nodeId)
    const cordon = cordons.get(task.nodeId) ?? null
    if (is === task.isConnected && isSame(cordon, task.cordon)) continue
    seen ??= copyOf(tasks)
    seen[at] = { ...task, isConnected: is, cordon }
  }
  return seen ?? tasks
}

const isSame = (a: Cordon | null, b: Cordon | null) =>
  a === b || (a?.by === b?.by && a?.atMs === b?.atMs && a?.reason === b?.reason)
