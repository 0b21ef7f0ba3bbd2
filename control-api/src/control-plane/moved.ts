// SPDX-License-Identifier: MIT
// A control plane whose database is in PostgreSQL since does not go on in its folder: two would tell the same nodes different
// things.
import type { Kysely } from 'kysely'
import { defineError } from '../api-shapes/errors.ts'
import type { Database } from '../db/database.ts'
import { readOwn } from './store.ts'

export const MovedToPostgres = defineError(
  409,
  'moved_to_postgres',
  'This control plane is in PostgreSQL',
  (dataDir: string, { to, at }: { to: string; at: string }) =>
    `What is in ${dataDir} was moved to ${to} at ${at}. Set DATABASE_URL to that, with user and password. To go back to what was here, as it was then: "admin migrate-to-postgres --undo".`,
)

export async function requireNotMoved(db: Kysely<Database>, dataDir: string): Promise<void> {
  const moved = await readOwn(db, 'movedTo')
  if (moved !== null) throw new MovedToPostgres(dataDir, JSON.parse(moved))
}
