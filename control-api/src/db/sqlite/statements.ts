// SPDX-License-Identifier: MIT
// Preparing a statement takes longer than running most of ours, and the same few hundred come again and again.
import type Sqlite from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { deleteOldest } from '../../base/kept.ts'

/** A list of values of another length is another statement: those that were not used for long go. */
const MOST_KEPT = 500
/** A table of other columns makes rows of other shape. */
const CHANGES_TABLES = /^\s*(alter|create|drop)\b/i

/** Kysely takes all rows of a statement before it gives it back, so none is in use twice. */
export function keepStatements(database: Sqlite.Database): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    prepare(sql) {
      if (CHANGES_TABLES.test(sql)) {
        kept.clear()
        return database.prepare(sql)
      }
      const statement = kept.get(sql) ?? database.prepare(sql)
      kept.delete(sql)
      kept.set(sql, statement)
      if (kept.size > MOST_KEPT) deleteOldest(kept)
      return statement
    },
    close: () => {
      kept.clear()
      database.close()
    },
  }
}
