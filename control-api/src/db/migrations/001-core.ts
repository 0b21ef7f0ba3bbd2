// SPDX-License-Identifier: MIT
// The tables of the service itself: people, sessions, events, nodes and what they were told to run.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table meta (key text primary key, value text not null) strict, without rowid`,

  `create table users (
     id text primary key,
     username text not null unique collate nocase,
     password_hash text not null,
     roles text not null,
     password_change_required integer not null,
     created_at_ms integer not null,
     password_changed_at_ms integer
   ) strict`,

  `create table sessions (
     id_digest text primary key,
     user_id text not null references users (id) on delete cascade,
     data text not null,
     created_at_ms integer not null,
     expires_at_ms integer not null
   ) strict, without rowid`,
  `create index sessions_by_user on sessions (user_id)`,
  `create index sessions_by_expiry on sessions (expires_at_ms)`,

  // autoincrement: an id a client has seen is never given to another event.
  `create table events (
     id integer primary key autoincrement,
     at_ms integer not null,
     kind text not null,
     object_id text not null,
     action text not null,
     actor text,
     data text not null
   ) strict`,
  `create trigger events_are_not_changed before update on events
     begin select raise(abort, 'events are append-only'); end`,
  `create trigger events_are_not_deleted before delete on events
     begin select raise(abort, 'events are append-only'); end`,

  `create table enrolment_tokens (
     id text primary key,
     secret_digest text not null unique,
     labels text not null,
     merge_patch text not null,
     max_uses integer not null,
     uses integer not null,
     created_at_ms integer not null,
     expires_at_ms integer not null,
     created_by text
   ) strict`,

  `create table nodes (
     id text primary key,
     name text not null,
     labels text not null,
     merge_patch text not null,
     revision integer not null,
     credential_digest text unique,
     enrolled_at_ms integer not null,
     enrolled_with text,
     decommissioned_at_ms integer,
     hostname text not null,
     version text not null,
     os text not null,
     arch text not null,
     capabilities text not null,
     schema_digest text,
     boot_id text,
     incarnation text,
     last_seen_at_ms integer,
     max_epoch integer not null,
     max_generation integer not null,
     acknowledged text,
     effective text,
     effective_since_ms integer,
     last_result text
   ) strict`,
  // A decommissioned node stays for the histories that name it; its name is free again.
  `create unique index nodes_by_name on nodes (name) where decommissioned_at_ms is null`,

  `create table rendered_texts (id text primary key, text text not null) strict`,

  `create table assignments (
     node_id text not null references nodes (id),
     generation integer not null,
     offer_id text not null unique,
     epoch integer not null,
     rollout_id text,
     config text not null,
     version integer not null,
     digest text not null,
     text_id text not null references rendered_texts (id),
     state text not null,
     created_at_ms integer not null,
     updated_at_ms integer not null,
     primary key (node_id, generation)
   ) strict`,
  `create index assignments_by_digest on assignments (node_id, digest)`,
]
