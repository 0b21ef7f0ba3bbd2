// SPDX-License-Identifier: MIT
// Which nodes something was written of since it was asked last. Triggers of this connection alone note it, in the
// transaction that writes, so nobody who writes has to think of it and what is rolled back is not noted. They also say it at
// once (node-writes.ts).
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { NODE_WRITTEN, type NodeWrites } from './node-writes.ts'

/** `all`: another process wrote, or nobody asked before. */
type ChangedNodes = { all: true } | { all: false; ids: string[] }
type TakeChangedNodes = () => Promise<ChangedNodes>

/** The tables by which a node is judged, and their column with its id. */
const WATCHED = { nodes: 'id', assignments: 'node_id', node_certificates: 'node_id' }

export async function watchNodes(
  db: Kysely<Database>,
  nodeWrites: NodeWrites,
): Promise<TakeChangedNodes> {
  await sql`create temp table changed_nodes (id text primary key) without rowid`.execute(db)
  for (const [table, column] of Object.entries(WATCHED)) {
    for (const [event, row] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      await sql
        .raw(
          `create temp trigger changed_by_${event}_of_${table} after ${event} on main.${table} begin
             insert or ignore into changed_nodes values (${row}.${column});
             select ${NODE_WRITTEN}(${row}.${column}); end`,
        )
        .execute(db)
    }
  }
  nodeWrites.watched()
  let seen: number | null = null
  return async () => {
    const before = seen
    // Counts what others committed to this file, not what this connection did.
    const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db)
    seen = rows[0]?.data_version ?? null
    const ids = await taken(db)
    return before === null || before !== seen ? { all: true } : { all: false, ids }
  }
}

/** Nothing is written when nothing was noted: who can't write any more, for want of room, goes on reading. */
async function taken(db: Kysely<Database>): Promise<string[]> {
  const noted = await sql`select 1 from temp.changed_nodes limit 1`.execute(db)
  if (noted.rows.length === 0) return []
  const { rows } = await sql<{ id: string }>`delete from temp.changed_nodes returning id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
