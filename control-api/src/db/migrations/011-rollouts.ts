// SPDX-License-Identifier: MIT
// Rollouts, their tasks per node, and which rollout owns a node now.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table rollouts (
     id text primary key,
     config text not null,
     version integer not null,
     previous_version integer,
     state text not null,
     state_version integer not null,
     reason text not null,
     author text not null,
     message text not null,
     created_at_ms integer not null,
     ended_at_ms integer,
     foreign key (config, version) references config_versions (config, number)
   ) strict`,

  `create table node_tasks (
     rollout_id text not null references rollouts (id),
     node_id text not null references nodes (id),
     wave integer not null,
     state text not null,
     generation integer,
     digest text not null,
     text_id text not null references rendered_texts (id),
     code text,
     message text not null,
     errors text not null,
     deadline_remaining_ms integer,
     updated_at_ms integer not null,
     primary key (rollout_id, node_id)
   ) strict, without rowid`,
  `create index node_tasks_awaited on node_tasks (rollout_id) where deadline_remaining_ms is not null`,

  `create table node_leases (
     node_id text primary key references nodes (id),
     rollout_id text not null references rollouts (id)
   ) strict, without rowid`,
]
