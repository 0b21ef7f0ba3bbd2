// SPDX-License-Identifier: MIT
// What nodes said of themselves, kept with each: who it is, what it runs, what it obeyed, what was changed on it.
import { sql, type Updateable } from 'kysely'
import type { Effective } from '../../agent-protocol/messages.gen.ts'
import type { NodesTable, Reader, Trx } from '../../db/database.ts'
import type { LastResult } from '../last-result.ts'
import type { NodeRow } from './nodes.ts'

type Hello = Pick<
  NodeRow,
  | 'hostname'
  | 'version'
  | 'os'
  | 'arch'
  | 'capabilities'
  | 'schema_digest'
  | 'boot_id'
  | 'max_epoch'
  | 'max_generation'
  | 'last_seen_at_ms'
  | 'address'
  | 'ca_bundle'
>

const set = async (trx: Trx, id: string, columns: Updateable<NodesTable>): Promise<void> => {
  await trx.updateTable('nodes').set(columns).where('id', '=', id).execute()
}

/** As of its last message; a decommissioned one's too. */
export const lastSaid = (trx: Trx, id: string): Promise<NodeRow> =>
  trx.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const setHello = (trx: Trx, id: string, hello: Hello): Promise<void> => set(trx, id, hello)

/** False: it was decommissioned. */
export async function setLastSeen(trx: Trx, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('nodes')
    .set({ last_seen_at_ms: nowMs })
    .where('id', '=', id)
    .where('decommissioned_at_ms', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Acknowledged = { generation: number; digest: string }

export const setAcknowledged = (trx: Trx, id: string, { generation, digest }: Acknowledged) =>
  set(trx, id, { acknowledged: JSON.stringify({ generation, digest }) })

export const setLastResult = (trx: Trx, id: string, result: LastResult): Promise<void> =>
  set(trx, id, { last_result: JSON.stringify(result) })

export async function setEffective(
  trx: Trx,
  id: string,
  effective: Effective | null,
  nowMs: number,
): Promise<void> {
  const digest = effective?.digest ?? null
  await sql`
    update nodes set effective = ${effective && JSON.stringify(effective)},
      effective_since_ms = iif(effective ->> 'digest' is not distinct from ${digest}, effective_since_ms, ${nowMs})
    where id = ${id}`.execute(trx)
}

export type Fences = Pick<NodeRow, 'max_epoch' | 'max_generation'>

/** The highest it ever obeyed, also of a control plane before us. */
export const fencesOf = (trx: Trx, id: string): Promise<Fences> =>
  trx
    .selectFrom('nodes')
    .select(['max_epoch', 'max_generation'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

export async function raiseFences(trx: Trx, id: string, said: Fences): Promise<void> {
  const known = await fencesOf(trx, id)
  await set(trx, id, {
    max_epoch: Math.max(known.max_epoch, said.max_epoch),
    max_generation: Math.max(known.max_generation, said.max_generation),
  })
}

/** By node: the highest generation that it ever obeyed. */
export async function highestObeyed(
  trx: Trx,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; generation: number }>`
    select nodes.id, nodes.max_generation as generation from json_each(${JSON.stringify(ids)}) wanted
    cross join nodes where nodes.id = wanted.value`.execute(trx)
  return new Map(rows.map(({ id, generation }) => [id, generation]))
}

/** Of all that ever were. */
export const nodesAboveEpoch = (db: Reader, epoch: number) =>
  db
    .selectFrom('nodes')
    .select(['name', 'max_epoch'])
    .where('max_epoch', '>', epoch)
    .orderBy('name')
    .execute()

/** Whom the database is older than: who has no boot_id said nothing since forgetBoots. */
export const bootsAndEpochs = (db: Reader) =>
  db
    .selectFrom('nodes')
    .select(['name', 'labels', 'boot_id', 'max_epoch'])
    .where('decommissioned_at_ms', 'is', null)
    .orderBy('name')
    .execute()

/** A hello sets it again. */
export async function forgetBoots(trx: Trx): Promise<void> {
  await trx.updateTable('nodes').set({ boot_id: null }).execute()
}

type DriftColumns = Pick<NodeRow, 'drift' | 'drift_decision'>

/** See assignments/drift.ts. */
export const driftColumns = (db: Reader, id: string): Promise<DriftColumns | undefined> =>
  db.selectFrom('nodes').select(['drift', 'drift_decision']).where('id', '=', id).executeTakeFirst()

export const driftedNodes = (db: Reader): Promise<(DriftColumns & { id: string })[]> =>
  db
    .selectFrom('nodes')
    .select(['id', 'drift', 'drift_decision'])
    .where('drift', 'is not', null)
    .where('decommissioned_at_ms', 'is', null)
    .execute()

export const setDriftColumns = (
  trx: Trx,
  id: string,
  columns: Partial<DriftColumns>,
): Promise<void> => set(trx, id, columns)
