// SPDX-License-Identifier: MIT
// Configs with their drafts, their versions for ever, and which version was released when.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table configs (
     name text primary key,
     draft_text text not null,
     draft_base integer not null,
     draft_updated_by text,
     draft_updated_at_ms integer not null,
     draft_revision integer not null,
     updated_at_ms integer not null
   ) strict, without rowid`,

  `create table config_versions (
     config text not null references configs (name),
     number integer not null check (number >= 1),
     digest text not null,
     text text not null,
     parent integer,
     author text not null check (author <> ''),
     message text not null check (message <> ''),
     source text not null,
     created_at_ms integer not null,
     primary key (config, number),
     foreign key (config, parent) references config_versions (config, number)
   ) strict`,
  `create index config_versions_by_digest on config_versions (digest)`,
  `create trigger config_versions_are_not_changed before update on config_versions
     begin select raise(abort, 'versions are immutable'); end`,
  `create trigger config_versions_are_not_deleted before delete on config_versions
     begin select raise(abort, 'versions are kept for ever'); end`,

  `create table releases (
     id integer primary key,
     config text not null,
     version integer not null,
     rollout_id text,
     at_ms integer not null,
     foreign key (config, version) references config_versions (config, number)
   ) strict`,
]
