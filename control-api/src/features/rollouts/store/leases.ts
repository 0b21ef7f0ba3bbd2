// SPDX-License-Identifier: MIT
// Which rollout owns which node. The table's primary key keeps it to one.
import { sql } from 'kysely'
import type { Reader, Trx } from '../../../db/database.ts'

export async function takeLeases(
  trx: Trx,
  rolloutId: string,
  nodeIds: readonly string[],
): Promise<void> {
  await sql`
    insert into node_leases (node_id, rollout_id)
    select value, ${rolloutId} from json_each(${JSON.stringify(nodeIds)})`.execute(trx)
}

export async function freeLeases(trx: Trx, rolloutId: string): Promise<void> {
  await trx.deleteFrom('node_leases').where('rollout_id', '=', rolloutId).execute()
}

export async function isLeased(trx: Trx, nodeId: string): Promise<boolean> {
  const lease = trx.selectFrom('node_leases').select('node_id').where('node_id', '=', nodeId)
  return (await lease.executeTakeFirst()) !== undefined
}

/** By node. */
export async function ownersOf(db: Reader): Promise<Map<string, string>> {
  const rows = await db.selectFrom('node_leases').selectAll().execute()
  return new Map(rows.map((row) => [row.node_id, row.rollout_id]))
}
