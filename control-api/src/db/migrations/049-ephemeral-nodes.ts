// SPDX-License-Identifier: MIT
// Nodes that are forgotten when they have been away for so long: machines that come and go by themselves.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table enrolment_tokens add column forget_after_hours integer`,
  `alter table nodes add column forget_after_hours integer`,
  `create index nodes_ephemeral on nodes (id)
    where forget_after_hours is not null and decommissioned_at_ms is null`,
]
