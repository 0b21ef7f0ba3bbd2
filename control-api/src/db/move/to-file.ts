// SPDX-License-Identifier: MIT
// control.db of PostgreSQL as a file of SQLite, as of one moment: what a backup holds is the same wherever it was made, and
// is restored to either.
import { sql } from 'kysely'
import { migrateToLatest } from '../migrate.ts'
import { openPostgresStore } from '../postgres/open.ts'
import { openControlDb } from '../sqlite/open.ts'
import { copyAll } from './copy.ts'

/** Makes control.db in the folder. Whoever writes meanwhile is not held up. */
export async function copyToFile(databaseUrl: string, folder: string): Promise<void> {
  const { db: from } = await openPostgresStore(databaseUrl)
  try {
    await sql`begin isolation level repeatable read read only`.execute(from)
    const to = openControlDb(folder)
    try {
      await migrateToLatest(to)
      await to.transaction().execute((trx) => copyAll(from, trx))
    } finally {
      await to.destroy()
    }
  } finally {
    await from.destroy()
  }
}
