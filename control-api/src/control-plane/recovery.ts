// SPDX-License-Identifier: MIT
// After a restore. The database is of an earlier time: what it says nodes should run is old, and so may be
// its epoch. So the control plane listens and offers nothing until its operator says that it is to go on;
// then it takes an epoch above everything that any node told it (docs/decisions/0043).
import type { Kysely } from 'kysely'
import { nodeIsWithin, type Scope } from '../access/scope.ts'
import { defineError } from '../api-shapes/errors.ts'
import type { Unit, Write } from '../audit/write.ts'
import type { Database } from '../db/database.ts'
import { bootsAndEpochs, forgetBoots } from '../node-identity/store/said.ts'
import { endEverySession } from '../people/session-store.ts'
import { makeEveryBrowserStrange } from '../people/user-store.ts'
import type { Identity, Recovery } from './identity.ts'
import { readOwn, removeOwn, writeOwn } from './store.ts'

/** highestEpoch: of what nodes obeyed. unheard: nodes that have said nothing since the restore. */
export type Survey = { nodes: number; highestEpoch: number; unheard: string[] }

const MOST_NAMES = 10

export const InRecovery = defineError(
  409,
  'in_recovery',
  'This control plane was restored from a backup',
  () =>
    'Nodes get nothing until you confirm that it is to go on: POST /api/v1/recovery/confirm, or the notice in the console.',
)
export const NotInRecovery = defineError(
  409,
  'not_in_recovery',
  'There is nothing to confirm',
  () => 'This control plane was not restored from a backup, or somebody has confirmed it already.',
)
export const NodesUnheard = defineError(
  409,
  'nodes_unheard',
  'Not every node has reported',
  (names: readonly string[]) =>
    `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''} said nothing since the restore; each may have obeyed a higher epoch than the others. Wait for them, or confirm with "withoutUnheard": true.`,
)

export async function readRecovery(db: Kysely<Database>): Promise<Recovery | null> {
  const stored = await readOwn(db, 'recovery')
  return stored === null ? null : JSON.parse(stored)
}

/** In a restored database, before anything else happens to it. */
export async function beginRecovery({ trx, emit }: Unit, recovery: Recovery): Promise<void> {
  await writeOwn(trx, 'recovery', JSON.stringify(recovery))
  // Sessions that have ended since the backup would live again.
  await endEverySession(trx)
  // Browsers that a recovery or a new password made strangers would be known again. Above every number that was
  // ever given, and another one after each restore.
  await makeEveryBrowserStrange(trx, recovery.restoredAtMs)
  // hello sets it: who has none was not heard since.
  await forgetBoots(trx)
  await emit({
    kind: 'backup',
    id: 'restored',
    action: 'restored',
    actor: 'operator',
    data: { backupCreatedAt: new Date(recovery.backupCreatedAtMs).toISOString() },
  })
}

/** Names and counts are of nodes within the scope; the epoch is of all. */
export async function survey(db: Kysely<Database>, scope: Scope): Promise<Survey> {
  const rows = await bootsAndEpochs(db)
  const within = rows.filter((row) => nodeIsWithin(scope, row))
  return {
    nodes: within.length,
    highestEpoch: rows.reduce((highest, row) => Math.max(highest, row.max_epoch), 0),
    unheard: within.filter((row) => row.boot_id === null).map((row) => row.name),
  }
}

type Confirmation = { actor: string; withoutUnheard: boolean }

/** Ends it: from now on this process has an epoch that every node heard obeys. */
export async function confirmRecovery(
  { write, db }: { write: Write; db: Kysely<Database> },
  identity: Identity,
  { actor, withoutUnheard }: Confirmation,
): Promise<void> {
  if (!identity.recovery) throw new NotInRecovery()
  const { highestEpoch, unheard } = await survey(db, null)
  if (unheard.length > 0 && !withoutUnheard) throw new NodesUnheard(unheard)
  const epoch = Math.max(highestEpoch, identity.epoch) + 1
  await write(async ({ trx, emit, afterCommit }) => {
    await writeOwn(trx, 'epoch', `${epoch}`)
    await endRecovery({ trx })
    await emit({
      kind: 'backup',
      id: 'restored',
      action: 'recovery-confirmed',
      actor,
      data: { epoch, unheard },
    })
    afterCommit(() => {
      identity.epoch = epoch
      identity.recovery = null
    })
  })
}

/** False: there was none. */
export async function endRecovery({ trx }: Pick<Unit, 'trx'>): Promise<boolean> {
  return removeOwn(trx, 'recovery')
}
