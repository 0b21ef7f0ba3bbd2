// SPDX-License-Identifier: MIT
// A rollout may name its nodes, to bring just them back to another version.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`alter table rollouts add column names_nodes integer not null default 0`)
    .execute(db)
}
