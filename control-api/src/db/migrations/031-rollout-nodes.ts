// SPDX-License-Identifier: MIT
// How long a node may take is said with each order; a refusal that may pass is tried again, and what kind
// of node refused is kept with the plan. What is under way goes on with the times it began with.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table assignments add column ack_ms integer not null default 10000`,
  `alter table assignments add column apply_ms integer not null default 30000`,
  `alter table assignments add column confirm_ms integer not null default 60000`,

  `alter table node_tasks add column kind text not null default ''`,
  `alter table node_tasks add column refusals integer not null default 0`,
]
