// SPDX-License-Identifier: MIT
// What is kept of neighbours over a start: the farm's setting, the keys that sign passes, and who gave wrong bytes. At rest
// the keys are sealed.
import type { Insertable, Selectable } from 'kysely'
import type { Reader, Trx } from '../db/database.ts'
import type { NeighbourTables } from '../db/tables/neighbours.ts'

export type NeighbourSettings = {
  /** The label whose value is a node's zone; null: off. */
  zoneLabel: string | null
  acrossZones: boolean
  /** Of what a node gives; null: any. */
  maxBytesPerSecond: number | null
  atOnce: number
}
export type StoredSettings = { settings: NeighbourSettings; revision: number }

export async function readSettings(db: Reader): Promise<StoredSettings> {
  const row = await db.selectFrom('neighbour_settings').selectAll().executeTakeFirstOrThrow()
  return {
    revision: row.revision,
    settings: {
      zoneLabel: row.zone_label,
      acrossZones: row.across_zones === 1,
      maxBytesPerSecond: row.max_bytes_per_second,
      atOnce: row.at_once,
    },
  }
}

export async function storeSettings(
  trx: Trx,
  { zoneLabel, acrossZones, maxBytesPerSecond, atOnce }: NeighbourSettings,
): Promise<void> {
  await trx
    .updateTable('neighbour_settings')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      zone_label: zoneLabel,
      across_zones: Number(acrossZones),
      max_bytes_per_second: maxBytesPerSecond,
      at_once: atOnce,
    }))
    .execute()
}

type KeyRow = Insertable<NeighbourTables['neighbour_keys']>

export const passKeysOf = (db: Reader): Promise<Selectable<NeighbourTables['neighbour_keys']>[]> =>
  db.selectFrom('neighbour_keys').selectAll().orderBy('number').execute()

export async function addPassKey(trx: Trx, row: KeyRow): Promise<void> {
  await trx.insertInto('neighbour_keys').values(row).execute()
}

/** All of them. */
export async function dropAllPassKeys(trx: Trx): Promise<void> {
  await trx.deleteFrom('neighbour_keys').execute()
}

export async function dropPassKeys(trx: Trx, before: number): Promise<void> {
  await trx.deleteFrom('neighbour_keys').where('number', '<', before).execute()
}

export type DistrustRow = Selectable<NeighbourTables['distrusted_neighbours']>

export const distrusted = (db: Reader): Promise<DistrustRow[]> =>
  db
    .selectFrom('distrusted_neighbours')
    .selectAll()
    .orderBy('at_ms', 'desc')
    .orderBy('node_id')
    .execute()

/** False: it is there already. */
export async function addDistrust(trx: Trx, row: DistrustRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('distrusted_neighbours')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** How many it has brought that about for. */
export async function distrustBy(db: Reader, toldBy: string): Promise<number> {
  const { count } = await db
    .selectFrom('distrusted_neighbours')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('told_by', '=', toldBy)
    .executeTakeFirstOrThrow()
  return count
}

/** False: it was none. */
export async function dropDistrust(trx: Trx, nodeId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('distrusted_neighbours')
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
