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
    const statements = new Statements(database)
    super({
      database: {
        prepare: (sql) => statements.of(sql),
        close: () => database.close(),
      },
    })
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

/** Enough for all of the service's; those with lists of changing length come and go. */
const KEPT_STATEMENTS = 500

/** Kysely prepares a query each time it is asked, which costs as much as a small query itself. */
class Statements {
  readonly #database: Sqlite.Database
  readonly #kept = new Map<string, Sqlite.Statement>()

  constructor(database: Sqlite.Database) {
    this.#database = database
  }

  /** The least recently asked one is given up for a new one. */
  of(sql: string): Sqlite.Statement {
    const statement = this.#kept.get(sql) ?? this.#database.prepare(sql)
    this.#kept.delete(sql)
    this.#kept.set(sql, statement)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT_STATEMENTS && oldest !== undefined) this.#kept.delete(oldest)
    return statement
  }
}
