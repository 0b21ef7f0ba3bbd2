// SPDX-License-Identifier: MIT
// What a node says concerns its own tasks: they are found without looking at those of every rollout there was.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index node_tasks_by_node on node_tasks (node_id)').execute(db)
}
