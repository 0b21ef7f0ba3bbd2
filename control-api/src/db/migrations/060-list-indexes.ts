// SPDX-License-Identifier: MIT
// Lists that sorted or read more than they show: one's own sessions, and the rollouts beside a chart.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `drop index sessions_by_user`,
  `create index sessions_by_user on sessions (user_id, created_at_ms)`,
  `create index rollouts_by_start on rollouts (started_at_ms)`,
  `create index rollouts_by_end on rollouts (ended_at_ms)`,
]
