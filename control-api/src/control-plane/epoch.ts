// SPDX-License-Identifier: MIT
// Who this control plane is: an id for ever, and an epoch that grows at each start, by which nodes tell it
// from an older copy of itself.

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Write } from '../audit/write.ts'
import { newId } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import { endRecovery } from './recovery.ts'

export async function loadControlPlaneId(db: Kysely<Database>): Promise<string> {
  await db
    .insertInto('meta')
    .values([
      { key: 'controlPlaneId', value: newId('cp') },
      { key: 'epoch', value: '0' },
    ])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return await metaValue(db, 'controlPlaneId')
}

/**
 * The epoch of this start, on disk before anybody hears of it: nodes refuse what an older one still
 * says or, from an older copy of the database, says again.
 */
export async function takeEpoch(write: Write): Promise<number> {
  return await write(async ({ trx }) => {
    await trx
      .updateTable('meta')
      .set({ value: sql<string>`cast(cast(value as integer) + 1 as text)` })
      .where('key', '=', 'epoch')
      .execute()
    return Number(await metaValue(trx, 'epoch'))
  })
}

export type Raised = {
  /** names of the nodes that would have refused the next start */
  nodes: string[]
  /** what the next start is above; null: no node is above it already */
  epoch: number | null
  /** whether it was waiting for this after a restore */
  wasInRecovery: boolean
}

/** Puts the epoch where the highest one is that any node obeyed, so that the next start is above it. */
export async function raiseEpoch(write: Write, actor: string): Promise<Raised> {
  return await write(async ({ trx, emit }) => {
    const epoch = Number(await metaValue(trx, 'epoch'))
    const nodes = await trx
      .selectFrom('nodes')
      .select(['name', 'max_epoch'])
      .where('max_epoch', '>', epoch)
      .orderBy('name')
      .execute()
    const wasInRecovery = await endRecovery({ trx })
    if (nodes.length === 0) return { nodes: [], epoch: null, wasInRecovery }
    const highest = nodes.reduce((most, node) => Math.max(most, node.max_epoch), 0)
    await trx
      .updateTable('meta')
      .set({ value: `${highest}` })
      .where('key', '=', 'epoch')
      .execute()
    const data = { before: { epoch }, after: { epoch: highest } }
    const id = await metaValue(trx, 'controlPlaneId')
    await emit({ kind: 'system', id, action: 'epoch-raised', actor, data })
    return { nodes: nodes.map(({ name }) => name), epoch: highest, wasInRecovery }
  })
}

async function metaValue(db: Kysely<Database>, key: string): Promise<string> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value ?? ''
}
