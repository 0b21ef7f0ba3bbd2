// SPDX-License-Identifier: MIT
// What the owners of the machines allow, as each node told it newest. Most nodes of a farm have the same
// rules: they are kept once. A rollout's plan knows them, for nodes with the same refuse the same.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table policy_rules (
     id text primary key,
     rules text not null
   ) strict`,
  `create table node_policies (
     node_id text primary key references nodes (id),
     source text not null,
     path text,
     digest text not null,
     rules_id text not null references policy_rules (id),
     since_ms integer not null
   ) strict`,
  `create index node_policies_by_rules on node_policies (rules_id)`,

  `alter table node_tasks add column policy_rules text`,
]
