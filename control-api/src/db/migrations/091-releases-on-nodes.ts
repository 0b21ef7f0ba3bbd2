// SPDX-License-Identifier: MIT
// Versions of releases go with the texts that nodes are given; what was proved last of each new nodes get.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // JSON, as certificates beside it; null: the text names none.
  `alter table rendered_texts add column releases text`,
  // The version that a rollout brought to all nodes last; null: none yet.
  `alter table release_sets add column released integer`,
  // JSON: the versions that go with it, frozen.
  `alter table rollouts add column releases text not null default '[]'`,
]
