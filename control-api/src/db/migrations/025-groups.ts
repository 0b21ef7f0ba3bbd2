// SPDX-License-Identifier: MIT
// Groups of nodes by their labels, and which group a node had when its text was made.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table node_groups (
     name text primary key,
     description text not null,
     selector text not null,
     position integer not null,
     config text references configs (name),
     merge_patch text not null,
     revision integer not null,
     updated_at_ms integer not null
   ) strict`,
  // Behind all others, always: it takes the nodes they leave.
  `insert into node_groups (name, description, selector, position, config, merge_patch, revision, updated_at_ms)
     values ('default', 'Every node that no other group takes', '', 1000000, null, '{}', 1,
             cast(unixepoch('subsec') * 1000 as integer))`,

  // '': from before there were groups.
  `alter table assignments add column group_name text not null default ''`,
  `alter table node_tasks add column group_name text not null default ''`,
  `alter table rollouts add column selector text not null default ''`,
]
