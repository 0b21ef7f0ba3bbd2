// SPDX-License-Identifier: MIT
// The drafts as they were, so that two people's changes can be merged; lists of versions without their
// texts; and the one way in which versions may go: with a config that was never used.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table draft_revisions (
     config text not null references configs (name),
     revision integer not null,
     text text not null,
     author text,
     at_ms integer not null,
     primary key (config, revision)
   ) strict`,
  `insert into draft_revisions (config, revision, text, author, at_ms)
     select name, draft_revision, draft_text, draft_updated_by, draft_updated_at_ms from configs`,

  // The columns behind a text of a megabyte are read through all of its pages.
  `create index config_versions_listed on config_versions
     (config, number, digest, parent, author, message, source, created_at_ms)`,

  `alter table configs add column removed_at_ms integer`,
  `create index configs_rolled_out on rollouts (config)`,
  `create index configs_assigned on assignments (config, version, node_id)`,
  `drop trigger config_versions_are_not_deleted`,
  `create trigger config_versions_are_not_deleted before delete on config_versions
     when (select removed_at_ms from configs where name = old.config) is null
       or exists (select 1 from releases where config = old.config)
       or exists (select 1 from rollouts where config = old.config)
       or exists (select 1 from assignments where config = old.config)
     begin select raise(abort, 'versions are kept for ever'); end`,
]
