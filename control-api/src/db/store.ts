// SPDX-License-Identifier: MIT
// Where control.db is: a file of SQLite in the data folder, or a database of PostgreSQL. Nobody above knows which.
import type { Kysely } from 'kysely'
import type { Database, Trx } from './database.ts'
import type { NodeWrites } from './node-writes.ts'

export type StorePlace = {
  dataDir: string
  /** postgres://…; null: SQLite in the data folder. */
  databaseUrl: string | null
}
export type Store = {
  db: Kysely<Database>
  nodeWrites: NodeWrites
  /** By this connection since it was opened: whether a part of a transaction left something behind. */
  rowsChanged(trx: Trx): Promise<number>
  /** null: it is a file in the data folder. */
  databaseBytes(): Promise<number | null>
  /** The database is gone and nobody told it to: what is in memory is not to be trusted any more. */
  onEnded(tell: () => void): void
}
