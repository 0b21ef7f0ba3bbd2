// SPDX-License-Identifier: MIT
// Who this control plane is: an id for ever, and an epoch that only grows, by which nodes tell it from
// an older copy of itself.
import type { Kysely } from 'kysely'
import type { Database } from './db/database.ts'
import { newId } from './ids.ts'

export type Identity = { controlPlaneId: string; epoch: number }

export async function loadIdentity(db: Kysely<Database>): Promise<Identity> {
  await db
    .insertInto('meta')
    .values([
      { key: 'controlPlaneId', value: newId('cp') },
      { key: 'epoch', value: '1' },
    ])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const rows = await db.selectFrom('meta').selectAll().execute()
  const value = (key: string) => rows.find((row) => row.key === key)?.value ?? ''
  return { controlPlaneId: value('controlPlaneId'), epoch: Number(value('epoch')) }
}
