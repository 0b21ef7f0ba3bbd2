// SPDX-License-Identifier: MIT
// Backups that were made, and those that failed and why. And beside each node the version it runs, so that
// a list of versions counts nodes in an index and not by looking at every node for every version.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table backups (
     id text primary key,
     state text not null,
     trigger text not null,
     file_name text not null unique,
     created_by text,
     created_at_ms integer not null,
     ended_at_ms integer,
     size_bytes integer,
     sha256 text,
     epoch integer,
     schema text,
     reason text not null
   ) strict`,

  `alter table nodes add column running_config text`,
  `alter table nodes add column running_version integer`,
  `create index nodes_by_running on nodes (running_config, running_version)
     where decommissioned_at_ms is null`,
  // The newest assignment of the digest that runs: looked up whenever either becomes another one.
  `create trigger nodes_run_a_version after update of effective on nodes begin
     update nodes set (running_config, running_version) = (
       select config, version from assignments
       where node_id = new.id and digest = new.effective ->> 'digest'
       order by generation desc limit 1
     ) where id = new.id;
   end`,
  `create trigger assignments_name_what_runs after insert on assignments begin
     update nodes set running_config = new.config, running_version = new.version
     where id = new.node_id and effective ->> 'digest' = new.digest;
   end`,
  `update nodes set effective = effective where effective is not null`,
]
