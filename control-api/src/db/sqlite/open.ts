// SPDX-License-Identifier: MIT
// Opens control.db, the precious file. The only room, with metrics', that knows better-sqlite3.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { createNodeWrites } from '../node-writes.ts'
import type { Store } from '../store.ts'
import { TransactionalSqliteDialect } from './dialect.ts'
import { nodeTriggers } from './node-triggers.ts'
import { rowsChanged } from './rows-changed.ts'

/** better-sqlite3 answers one query at a time; Kysely queues transactions before its one connection. */
export const openControlDb = (dataDir: string): Kysely<Database> => kyselyOf(openFile(dataDir))

export function openSqliteStore(dataDir: string): Store {
  const sqlite = openFile(dataDir)
  return {
    db: kyselyOf(sqlite),
    nodeWrites: createNodeWrites(nodeTriggers(sqlite)),
    rowsChanged,
    databaseBytes: async () => null,
    onEnded: () => {},
  }
}

const kyselyOf = (sqlite: Sqlite.Database) =>
  new Kysely<Database>({ dialect: new TransactionalSqliteDialect(sqlite) })

function openFile(dataDir: string): Sqlite.Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'control.db')
  const sqlite = new Sqlite(path)
  // Password hashes and digests of credentials: nobody else's to read.
  chmodSync(path, 0o600)
  sqlite.pragma('journal_mode = WAL')
  // Losing the last committed rollout step in a power cut would break the state machine.
  sqlite.pragma('synchronous = FULL')
  sqlite.pragma('foreign_keys = ON')
  // The operator's commands write to the same file from another process.
  sqlite.pragma('busy_timeout = 5000')
  return sqlite
}
