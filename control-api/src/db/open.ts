// SPDX-License-Identifier: MIT
// Opens control.db, the precious file. The only place, with metrics', that knows better-sqlite3.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { NodeWrites } from './node-writes.ts'
import { TransactionalSqliteDialect } from './sqlite-dialect.ts'

/** better-sqlite3 answers one query at a time; Kysely queues transactions before its one connection. */
export function openControlDb(dataDir: string, nodeWrites?: NodeWrites): Kysely<Database> {
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
  nodeWrites?.attach(sqlite)
  return new Kysely<Database>({ dialect: new TransactionalSqliteDialect(sqlite) })
}
