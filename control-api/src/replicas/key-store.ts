// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import { ownId } from '../audit/event-store.ts'
import type { Database } from '../db/database.ts'

const NO_TABLE = '42P01'

/** By name, sealed. null: no control plane was there yet. */
export async function sealedKeys(db: Kysely<Database>): Promise<Map<string, string> | null> {
  try {
    if ((await ownId(db)) === '') return null
    const rows = await db.selectFrom('shared_keys').selectAll().execute()
    return new Map(rows.map(({ name, sealed }) => [name, sealed]))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_TABLE) return null
    throw error
  }
}

export const keepSealedKey = async (db: Kysely<Database>, name: string, sealed: string) =>
  void (await db
    .insertInto('shared_keys')
    .values({ name, sealed })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed }))
    .execute())

export const forgetSealedKey = async (db: Kysely<Database>, name: string) =>
  void (await db.deleteFrom('shared_keys').where('name', '=', name).execute())
