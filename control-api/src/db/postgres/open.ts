// SPDX-License-Identifier: MIT
// Opens control.db in PostgreSQL.
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely'
import type { Database } from '../database.ts'
import { createNodeWrites } from '../node-writes.ts'
import type { Store } from '../store.ts'
import { OneSessionDialect } from './dialect.ts'
import { nodeNotes } from './node-notes.ts'
import { openSession, type Session } from './session.ts'

export const openPostgresStore = async (url: string): Promise<Store> =>
  storeIn(await openSession(url))

export function storeIn(session: Session): Store {
  const notes = nodeNotes(session)
  const db = new Kysely<Database>({
    dialect: new OneSessionDialect(session, notes.takeNotes),
    // SQLite takes a list of nothing.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  })
  return {
    db,
    nodeWrites: createNodeWrites(notes),
    rowsChanged: async () => session.rowsChanged(),
    async databaseBytes() {
      const { rows } = await sql<{ bytes: number }>`
        select pg_database_size(current_database()) as bytes`.execute(db)
      return rows[0]?.bytes ?? null
    },
    onEnded: session.onEnded,
  }
}
