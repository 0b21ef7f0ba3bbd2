// SPDX-License-Identifier: MIT
// Kysely's dialect of PostgreSQL over one session, with transactions as those of control.db are: one writer at a time.
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
} from 'kysely'
import type { Session } from './session.ts'

/** Who writes holds it until the transaction ends: the service and the operator's commands, one after the other. */
const WRITERS = 7_120_195

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

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Without values it is one message with both.
    await connection.executeQuery(
      CompiledQuery.raw(`begin; select pg_advisory_xact_lock(${WRITERS})`),
    )
  }

  override async releaseConnection(
    connection: Parameters<PostgresDriver['releaseConnection']>[0],
  ): Promise<void> {
    try {
      await this.#atEndOfTurn(connection)
    } finally {
      await super.releaseConnection(connection)
    }
  }
}
