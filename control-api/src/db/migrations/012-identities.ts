// SPDX-License-Identifier: MIT
// Nodes' certificates, who else speaks with a node's key, and what was changed on its machine by hand.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table node_certificates (
     sha256 text primary key,
     node_id text not null references nodes (id),
     serial text not null,
     key_sha256 text not null,
     ca_sha256 text not null,
     state text not null,
     issued_at_ms integer not null,
     not_after_ms integer not null
   ) strict, without rowid`,
  `create index node_certificates_by_node on node_certificates (node_id, issued_at_ms)`,
  `create index node_certificates_by_key on node_certificates (key_sha256)`,

  // A token may give a node that is known a new identity.
  `alter table enrolment_tokens add column node_id text references nodes (id)`,
  `create index enrolment_tokens_by_node on enrolment_tokens (node_id) where node_id is not null`,

  `alter table nodes add column ca_bundle text`,
  `alter table nodes add column address text`,
  `alter table nodes add column past_incarnations text not null default '[]'`,
  `alter table nodes add column clone text`,
  `alter table nodes add column drift text`,
  `alter table nodes add column drift_text text`,
  `alter table nodes add column drift_decision text`,
]
