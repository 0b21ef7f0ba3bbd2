// SPDX-License-Identifier: MIT
// Nobody asks by them any more: nodes are chosen in memory (features/nodes/farm-index.ts), and rows by their own labels.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `drop trigger node_labels_of_new`,
  `drop trigger node_labels_of_changed`,
  `drop table node_labels`,
]
