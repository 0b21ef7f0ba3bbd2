// SPDX-License-Identifier: MIT
// Tells which nodes were written of. Triggers note them (tables.ts): of the service's own session in a table that nobody else
// sees, which is read at the end of each of its turns; what another session writes is counted, and the count is looked at.
import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { WriteSource } from '../node-writes.ts'
import type { Session } from './session.ts'
import { FOREIGN_WRITES } from './tables.ts'

const LOOKS_EVERY_MS = 1000
const TAKE_NOTES = CompiledQuery.raw('delete from pg_temp.changed_nodes returning id')

export function nodeNotes(session: Session) {
  let tell: Parameters<WriteSource['watch']>[0] | null = null
  let lookedAt = session.rowsChanged()
  let foreign = 0
  let isLooking = false

  /** Before the session is another's turn. */
  async function takeNotes(connection: DatabaseConnection): Promise<void> {
    if (tell === null || lookedAt === session.rowsChanged()) return
    const { rows } = await connection.executeQuery<{ id: string }>(TAKE_NOTES)
    lookedAt = session.rowsChanged()
    for (const { id } of rows) tell(id, null)
  }

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    const turn = await session.connect()
    try {
      const { rows } = await turn.query(`select count from ${FOREIGN_WRITES}`)
      foreign = (rows[0] as { count: number }).count
    } finally {
      turn.release()
      isLooking = false
    }
  }
  /** What can't be asked any more is told elsewhere. */
  const lookAgain = () => void look().catch(() => {})

  const source: WriteSource = {
    async watch(to) {
      const turn = await session.connect()
      try {
        await turn.query('create temp table changed_nodes (id text primary key)')
        await turn.query(`listen ${FOREIGN_WRITES}`)
      } finally {
        turn.release()
      }
      lookedAt = session.rowsChanged()
      tell = to
      await look()
      session.onNotice(FOREIGN_WRITES, lookAgain)
      // A hint may be lost.
      const timer = setInterval(lookAgain, LOOKS_EVERY_MS)
      timer.unref()
      session.onEnd(() => clearInterval(timer))
    },
    foreign: () => foreign,
    isPending: () => tell !== null && lookedAt !== session.rowsChanged(),
  }
  return { ...source, takeNotes }
}
