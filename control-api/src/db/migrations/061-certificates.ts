// SPDX-License-Identifier: MIT
// Certificates of the farm's sites, with versions; what each node serves; and the keys of session tickets.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table certificates (
     name text primary key,
     revision integer not null,
     latest integer not null,
     released integer,
     not_after_ms integer not null,
     told_days integer,
     told_end_ms integer,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  `create index certificates_by_end on certificates (not_after_ms, name)`,
  `create table certificate_versions (
     certificate text not null references certificates (name) on delete cascade,
     number integer not null,
     fingerprint text not null,
     chain text not null,
     key text not null,
     names text not null,
     subject text not null,
     issuer text not null,
     serial text not null,
     key_kind text not null,
     chain_length integer not null,
     warnings text not null,
     not_before_ms integer not null,
     not_after_ms integer not null,
     source text not null,
     order_id text,
     created_at_ms integer not null,
     created_by text not null,
     primary key (certificate, number)
   ) strict, without rowid`,
  `create index certificate_versions_by_fingerprint on certificate_versions (fingerprint)`,
  `create table served_certificates (
     node_id text not null references nodes (id) on delete cascade,
     host text not null,
     fingerprint text not null,
     not_after_ms integer not null,
     since_ms integer not null,
     primary key (node_id, host, fingerprint)
   ) strict, without rowid`,
  `create index served_certificates_by_fingerprint on served_certificates (fingerprint, node_id)`,
  `create table ticket_keys (
     group_name text not null,
     number integer not null,
     key text not null,
     from_ms integer not null,
     primary key (group_name, number)
   ) strict, without rowid`,
  // The versions of the certificates that go with the text; null: it names none.
  `alter table rendered_texts add column certificates text`,
  // Of the config by itself; null: no certificates go with it, and digest is that.
  `alter table assignments add column config_digest text`,
  `alter table node_tasks add column config_digest text`,
]
