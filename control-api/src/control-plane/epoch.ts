// SPDX-License-Identifier: MIT
// Who this control plane is: an id for ever, and an epoch that grows at each start, by which nodes tell it
// from an older copy of itself.
import type { Kysely } from 'kysely'
import type { Write } from '../audit/write.ts'
import { newId } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import { nodesAboveEpoch } from '../node-identity/store/said.ts'
import { endRecovery } from './recovery.ts'
import { readOwn, writeFirst, writeOwn } from './store.ts'

export async function loadControlPlaneId(db: Kysely<Database>): Promise<string> {
  await writeFirst(db, [
    { key: 'controlPlaneId', value: newId('cp') },
    { key: 'epoch', value: '0' },
  ])
  return (await readOwn(db, 'controlPlaneId')) ?? ''
}

/**
 * The epoch of this start, on disk before anybody hears of it: nodes refuse what an older one still
 * says or, from an older copy of the database, says again.
 */
export async function takeEpoch(write: Write): Promise<number> {
  return await write(async ({ trx }) => {
    const epoch = Number(await readOwn(trx, 'epoch')) + 1
    await writeOwn(trx, 'epoch', `${epoch}`)
    return epoch
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
    const epoch = Number(await readOwn(trx, 'epoch'))
    const nodes = await nodesAboveEpoch(trx, epoch)
    const wasInRecovery = await endRecovery({ trx })
    if (nodes.length === 0) return { nodes: [], epoch: null, wasInRecovery }
    const highest = nodes.reduce((most, node) => Math.max(most, node.max_epoch), 0)
    await writeOwn(trx, 'epoch', `${highest}`)
    const data = { before: { epoch }, after: { epoch: highest } }
    const id = (await readOwn(trx, 'controlPlaneId')) ?? ''
    await emit({ kind: 'system', id, action: 'epoch-raised', actor, data })
    return { nodes: nodes.map(({ name }) => name), epoch: highest, wasInRecovery }
  })
}
