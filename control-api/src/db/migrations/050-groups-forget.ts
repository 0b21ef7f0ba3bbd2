// SPDX-License-Identifier: MIT
// A group, too, may say for how long its nodes may be away. Which nodes these are depends on labels and on the
// order of groups, so nodes are found by when they were heard of last, not by what is said of them.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table node_groups add column forget_after_hours integer`,
  `drop index nodes_ephemeral`,
  `create index nodes_heard on nodes (ifnull(last_seen_at_ms, enrolled_at_ms))
    where decommissioned_at_ms is null`,
]
