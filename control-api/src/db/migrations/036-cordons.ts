// SPDX-License-Identifier: MIT
// Nodes that rollouts pass by. What passed a node by is told on its page, and found without looking at all its tasks.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table nodes add column cordon text`,
  `create index nodes_cordoned on nodes (name)
    where cordon is not null and decommissioned_at_ms is null`,
  `create index node_tasks_passed_by on node_tasks (node_id, rollout_id)
    where state = 'skipped' and code = 'cordoned'`,
]
