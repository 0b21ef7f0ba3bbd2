// SPDX-License-Identifier: MIT
// A control plane whose database is in PostgreSQL since does not go on in its folder: two would tell the same nodes different
// things.
import type { Kysely } from 'kysely'
import { defineError } from '../api-shapes/errors.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import { nodesAboveEpoch } from '../node-identity/store/said.ts'
import { readOwn, writeOwn } from './store.ts'

/**
 * An old program does not know the mark, and takes one epoch more with each start. So often it would have to be started before
 * a node that has heard the new one obeyed it.
 */
export const EPOCHS_AHEAD = 1_000_000
const MOST_NAMES = 5

export const MovedToPostgres = defineError(
  409,
  'moved_to_postgres',
  'This control plane is in PostgreSQL',
  (dataDir: string, { to, at }: { to: string; at: string }) =>
    `What is in ${dataDir} was moved to ${to} at ${at}. Set DATABASE_URL to that, with user and password. To go back to what was here, as it was then: "admin migrate-to-postgres --undo".`,
)

export const NewerObeyed = defineError(
  409,
  'newer_obeyed',
  'Nodes obeyed a newer control plane',
  (names: readonly string[]) =>
    `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''} obeyed a control plane that is newer than the one in the folder, so this may be an old copy. Make sure which one is to go on, say so with "admin raise-epoch --yes", and try again. Nothing was moved.`,
)

export async function requireNotMoved(db: Kysely<Database>, dataDir: string): Promise<void> {
  const moved = await readOwn(db, 'movedTo')
  if (moved !== null) throw new MovedToPostgres(dataDir, JSON.parse(moved))
}

/** Else it would take nodes from one that nobody has decided against. */
export async function requireHighestEpoch(db: Reader): Promise<void> {
  const above = await nodesAboveEpoch(db, Number(await readOwn(db, 'epoch')))
  if (above.length > 0) throw new NewerObeyed(above.map(({ name }) => name))
}

/** Above every epoch that the one in the folder could begin. */
export async function arrive(trx: Trx): Promise<void> {
  await writeOwn(trx, 'epoch', `${Number(await readOwn(trx, 'epoch')) + EPOCHS_AHEAD}`)
}
