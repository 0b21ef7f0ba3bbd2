// SPDX-License-Identifier: MIT
// Nodes that were out of reach when a rollout succeeded take its version when there is room: asked each second.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index node_tasks_out_of_reach on node_tasks (rollout_id) where state = 'unreachable'`,
    )
    .execute(db)
}
