// SPDX-License-Identifier: MIT
// What tasks show of their nodes as they are at this moment: whether they are there, and whether they are cordoned.
import type { Reader } from '../../../db/database.ts'
import { type Cordon, cordonOf } from '../../../fleet/cordon.ts'
import type { Task } from '../reducer/model.ts'
import { copyOf } from '../reducer/places.ts'

type Seen = {
  isConnected: (nodeId: string) => boolean
  cordons: ReadonlyMap<string, Cordon>
}

/** Of nodes that are not decommissioned; the others are offered nothing anyway. */
export async function cordonsNow(db: Reader): Promise<Map<string, Cordon>> {
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'cordon'])
    .where('cordon', 'is not', null)
    .where('decommissioned_at_ms', 'is', null)
    .execute()
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
