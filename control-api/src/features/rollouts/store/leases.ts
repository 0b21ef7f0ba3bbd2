// SPDX-License-Identifier: MIT
// Which rollout owns which node. The table's primary key keeps it to one.
import { sql } from 'kysely'
import type { Trx } from '../../../db/database.ts'

/** Of all its nodes that are not gone. */
export async function takeLeases(trx: Trx, rolloutId: string): Promise<void> {
  await sql`
    insert into node_leases (node_id, rollout_id)
    select t.node_id, t.rollout_id from node_tasks t join nodes on nodes.id = t.node_id
    where t.rollout_id = ${rolloutId} and t.state <> 'skipped' and nodes.decommissioned_at_ms is null
  `.execute(trx)
}

export async function freeLeases(trx: Trx, rolloutId: string): Promise<void> {
  await trx.deleteFrom('node_leases').where('rollout_id', '=', rolloutId).execute()
}

export async function isLeased(trx: Trx, nodeId: string): Promise<boolean> {
  const lease = trx.selectFrom('node_leases').select('node_id').where('node_id', '=', nodeId)
  return (await lease.executeTakeFirst()) !== undefined
}

/** Of these nodes. */
export async function ownedByOthers(
  trx: Trx,
  rolloutId: string,
  nodeIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ node_id: string }>`
    select l.node_id from json_each(${JSON.stringify(nodeIds)}) wanted
    cross join node_leases l where l.node_id = wanted.value and l.rollout_id <> ${rolloutId}`.execute(
    trx,
  )
  return new Set(rows.map((row) => row.node_id))
}
