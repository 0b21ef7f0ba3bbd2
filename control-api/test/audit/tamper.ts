// SPDX-License-Identifier: MIT
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { isOnPostgres } from '../postgres.ts'

const GUARDS = ['not_changed', 'not_deleted', 'appended']

/** As somebody with the database in hand: nothing keeps the events as they are any more. */
export async function tamper(db: Kysely<Database>, statements: string): Promise<void> {
  const off = isOnPostgres
    ? ['alter table events disable trigger user']
    : GUARDS.map((name) => `drop trigger events_are_${name}`)
  for (const statement of [...off, ...statements.split('; ')]) await sql.raw(statement).execute(db)
}
