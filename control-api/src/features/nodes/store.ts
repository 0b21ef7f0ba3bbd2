// SPDX-License-Identifier: MIT
// Lists of nodes. Nodes themselves are of node-identity/.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { eachOf } from '../../db/each-of.ts'
import type { NodeRow } from '../../node-identity/store/nodes.ts'

/** By name, so many after this one; looks at no others. */
export const nodesByName = (
  db: Kysely<Database>,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<NodeRow[]> =>
  db
    .selectFrom('nodes')
    .selectAll()
    .where('decommissioned_at_ms', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute()

/** In the order of the ids; one that is no more is left out. */
export async function nodesOf(db: Kysely<Database>, ids: readonly string[]): Promise<NodeRow[]> {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .where('id', 'in', eachOf(ids))
    .where('decommissioned_at_ms', 'is', null)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

export type Silent = Pick<
  NodeRow,
  | 'id'
  | 'name'
  | 'labels'
  | 'merge_patch'
  | 'forget_after_hours'
  | 'last_seen_at_ms'
  | 'enrolled_at_ms'
>
const SILENT_COLUMNS = [
  'id',
  'name',
  'labels',
  'merge_patch',
  'forget_after_hours',
  'last_seen_at_ms',
  'enrolled_at_ms',
] as const satisfies readonly (keyof Silent)[]

type SilentSince = {
  heardBeforeMs: number
  /** Of those that are heard nothing is written for as long as they are. */
  connectedIds: readonly string[]
  /** Only those whose own token says that they may be forgotten. */
  isByTokenOnly: boolean
}

/** Walks the index of when nodes were heard of last: what it costs is one row for each that is away or connected. */
export const silentNodes = (db: Kysely<Database>, since: SilentSince): Promise<Silent[]> =>
  db
    .selectFrom('nodes')
    .select(SILENT_COLUMNS)
    .where('decommissioned_at_ms', 'is', null)
    .where(sql<number>`coalesce(last_seen_at_ms, enrolled_at_ms)`, '<=', since.heardBeforeMs)
    .$if(since.isByTokenOnly, (query) => query.where('forget_after_hours', 'is not', null))
    .where('id', 'not in', eachOf(since.connectedIds))
    .execute()

export type PassedBy = { node_id: string; config: string; version: number; at_ms: number }

/** By node: the newest version that succeeded elsewhere while it was cordoned. The index holds only those. */
export async function passedBy(
  db: Kysely<Database>,
  nodeIds: readonly string[],
): Promise<Map<string, PassedBy>> {
  const { rows } = await sql<PassedBy>`
    select t.node_id, r.config, r.version, t.updated_at_ms as at_ms
    from json_each(${JSON.stringify(nodeIds)}) wanted
    cross join node_tasks t
    join rollouts r on r.id = t.rollout_id
    where t.node_id = wanted.value and t.rollout_id = (
      select s.rollout_id from node_tasks s cross join rollouts o
      where o.id = s.rollout_id and s.node_id = wanted.value and s.state = 'skipped' and s.code = 'cordoned'
        and o.state = 'succeeded'
      order by s.rollout_id desc limit 1
    )`.execute(db)
  return new Map(rows.map((row) => [row.node_id, row]))
}
