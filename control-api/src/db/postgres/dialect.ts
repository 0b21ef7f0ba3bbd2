// SPDX-License-Identifier: MIT
// Kysely's dialect of PostgreSQL over one session, with transactions as those of control.db are: one writer at a time.
import {
  type AbortableOperationOptions,
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
} from 'kysely'
import type { Session } from './session.ts'

/** Who writes holds it until the transaction ends: the service and the operator's commands, one after the other. */
const WRITERS = 7_120_195
/** Without values it is one message with both. */
const BEGIN = CompiledQuery.raw(`begin; select pg_advisory_xact_lock(${WRITERS})`)

/** As SQLite's busy_timeout: who asks is told that another holds it, and is not left without a word. */
const WAIT_NO_LONGER = CompiledQuery.raw('set lock_timeout = 5000')

const ROLL_BACK = CompiledQuery.raw('rollback')
type PostgresConnection = Parameters<PostgresDriver['releaseConnection']>[0]
type AtEndOfTurn = (connection: DatabaseConnection) => Promise<void>

export class OneSessionDialect extends PostgresDialect {
  readonly #pool: PostgresPool
  readonly #atEndOfTurn: AtEndOfTurn
  constructor(session: Session, atEndOfTurn: AtEndOfTurn) {
    const pool = session as unknown as PostgresPool
    super({ pool })
    this.#pool = pool
    this.#atEndOfTurn = atEndOfTurn
  }
  override createDriver() {
    return new OneSessionDriver(this.#pool, this.#atEndOfTurn)
  }
}

class OneSessionDriver extends PostgresDriver {
  readonly #atEndOfTurn: AtEndOfTurn
  constructor(pool: PostgresPool, atEndOfTurn: AtEndOfTurn) {
    super({ pool })
    this.#atEndOfTurn = atEndOfTurn
  }

  /** Of the session, and so of all who come after. */
  override async init(options?: AbortableOperationOptions): Promise<void> {
    await super.init(options)
    const connection = await this.acquireConnection(options)
    try {
      await connection.executeQuery(WAIT_NO_LONGER)
    } finally {
      await super.releaseConnection(connection as PostgresConnection)
    }
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(BEGIN)
    } catch (error) {
      // It has begun, and Kysely ends what begins whole only: all who come after would be refused. A session that has ended
      // has none that could be.
      await connection.executeQuery(ROLL_BACK).catch(() => {})
      throw error
    }
  }

  override async releaseConnection(connection: PostgresConnection): Promise<void> {
    try {
      await this.#atEndOfTurn(connection)
    } finally {
      await super.releaseConnection(connection)
    }
  }
}
