// SPDX-License-Identifier: MIT
// What happens before a rollout begins: approvals, a time to begin at, the line of those that wait for the
// same nodes; and the rules of the farm that ask for it. Rollouts from before had begun when they were made.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table rollouts add column author_id text`,
  `alter table rollouts add column scope text`,
  `alter table rollouts add column on_overlap text not null default 'refuse'`,
  `alter table rollouts add column start_at_ms integer`,
  `alter table rollouts add column approvals_needed integer not null default 0`,
  `alter table rollouts add column approve_by_ms integer`,
  `alter table rollouts add column emergency text`,
  `alter table rollouts add column place integer`,
  `alter table rollouts add column blocked_by text not null default '[]'`,
  `alter table rollouts add column started_at_ms integer`,
  `update rollouts set started_at_ms = created_at_ms`,

  `create table rollout_approvals (
     rollout_id text not null references rollouts (id),
     user_id text not null,
     username text not null,
     at_ms integer not null,
     primary key (rollout_id, user_id)
   ) strict, without rowid`,

  `create table rollout_rules (
     id integer primary key check (id = 1),
     revision integer not null,
     approvals integer not null,
     approval_hours integer not null,
     windows text not null,
     time_zone text not null,
     blast_budget integer
   ) strict`,
  `insert into rollout_rules (id, revision, approvals, approval_hours, windows, time_zone, blast_budget)
     values (1, 1, 0, 72, '[]', 'UTC', null)`,
]
