// SPDX-License-Identifier: MIT
// Certificates that are ordered by ACME: whom from, which, and how each order stands.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table certificate_authorities (
     name text primary key,
     revision integer not null,
     directory_url text not null,
     contact text not null,
     trusted_roots text,
     account_key text not null,
     account_url text,
     eab_key_id text,
     eab_hmac_key text,
     held_until_ms integer not null default 0,
     failures integer not null default 0,
     last_error text,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  `create table dns_webhooks (
     name text primary key,
     revision integer not null,
     url text not null,
     secret text not null,
     last_error text,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  // Its certificate may not be there yet.
  `create table managed_certificates (
     name text primary key,
     revision integer not null,
     names text not null,
     key_type text not null,
     authorities text not null,
     challenge text not null,
     dns_webhook text references dns_webhooks (name),
     preferred_chain text,
     roll_out integer not null,
     paused integer not null default 0,
     asked_by text,
     holds text not null default '{}',
     version integer,
     issued_by text,
     renewal_id text,
     random real not null,
     renew_at_ms integer,
     renewal_window text,
     window_look_at_ms integer,
     roll_out_left text,
     next_action_at_ms integer not null,
     last_error text,
     last_error_at_ms integer,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  `create index managed_certificates_by_next on managed_certificates (next_action_at_ms, name)`,
  // What it published is taken away even when nobody manages its certificate any more.
  `create table certificate_orders (
     id text primary key,
     certificate text not null,
     authority text not null,
     profile text,
     names text not null,
     challenge text not null,
     dns_webhook text,
     preferred_chain text,
     state text not null,
     key text not null,
     csr text not null,
     replaces text,
     order_url text,
     expires_at_ms integer,
     challenges text not null default '[]',
     failures integer not null default 0,
     waiting_for text,
     last_error text,
     version integer,
     started_at_ms integer not null,
     started_by text not null,
     ended_at_ms integer,
     cleaned_up integer not null default 0
   ) strict`,
  // One at a time.
  `create unique index certificate_orders_open on certificate_orders (certificate) where ended_at_ms is null`,
  `create index certificate_orders_by_certificate on certificate_orders (certificate, id)`,
  // What was published and is still to be taken away.
  `create index certificate_orders_to_clean on certificate_orders (id) where cleaned_up = 0`,
]
