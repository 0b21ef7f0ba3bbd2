// SPDX-License-Identifier: MIT
// What this control plane knows of itself, at rest: a few values by their keys.
import type { Reader, Trx } from '../db/database.ts'

type Key =
  /** For ever. */
  | 'controlPlaneId'
  /** Of the newest start. */
  | 'epoch'
  /** JSON, see Recovery in identity.ts: until it is confirmed. */
  | 'recovery'
  /** JSON, in the folder of one that is in PostgreSQL since: where, and from when. */
  | 'movedTo'
  /** Until there is a first administrator. */
  | 'setupTokenDigest'

export async function readOwn(db: Reader, key: Key): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value ?? null
}

export async function writeOwn(trx: Trx, key: Key, value: string): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** Without a transaction: it is called before anything can be written, and keeps what is there. */
export async function writeFirst(
  db: Reader,
  values: readonly { key: Key; value: string }[],
): Promise<void> {
  await db
    .insertInto('meta')
    .values(values)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
}

/** False: there was none. */
export async function removeOwn(trx: Trx, key: Key): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('meta').where('key', '=', key).executeTakeFirst()
  return numDeletedRows > 0n
}
