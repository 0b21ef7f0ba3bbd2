// SPDX-License-Identifier: MIT
// Which nodes a chart is about.
import type { Kysely } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import type { Database } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'

export type ChartNode = { id: string; name: string }

/** By name; decommissioned ones only when asked for by id: their past is still worth a look. */
export async function chartNodes(
  db: Kysely<Database>,
  ids: readonly string[] | null,
  { limit, scope }: { limit: number; scope: Scope },
): Promise<ChartNode[]> {
  return await db
    .selectFrom('nodes')
    .select(['id', 'name'])
    .$if(ids === null, (query) => query.where('decommissioned_at_ms', 'is', null))
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .where(labelsWithin('labels', scope))
    .orderBy('name')
    .limit(limit)
    .execute()
}
