// SPDX-License-Identifier: MIT
// Kysely's SQLite dialect, with transactions as SQLite really has them.
import type Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { keepStatements } from './statements.ts'

export class TransactionalSqliteDialect extends SqliteDialect {
  readonly #database: Sqlite.Database
  constructor(database: Sqlite.Database) {
    super({ database })
    this.#database = database
  }
  override createDriver() {
    return new TransactionalSqliteDriver(this.#database)
  }
  override createAdapter() {
    return new TransactionalSqliteAdapter()
  }
}

/** SQLite rolls back tables as it does rows; told so, the migrator runs all its steps or none. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

class TransactionalSqliteDriver extends SqliteDriver {
  readonly #database: Sqlite.Database
  constructor(database: Sqlite.Database) {
    super({ database: keepStatements(database) })
    this.#database = database
  }

  /**
   * Plain BEGIN takes the write lock at the first write; if another process wrote after our first read,
   * SQLite then answers SQLITE_BUSY at once, however long the time-out. Our transactions write, so
   * they ask for the lock at the start and wait for it there.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /**
   * A full disk, and other failures of the machine, make SQLite roll back by itself; a second rollback
   * would fail, and that failure would hide the first.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}
