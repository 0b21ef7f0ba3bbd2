// SPDX-License-Identifier: MIT
// Who is told of events elsewhere: each has its place in the events, so nothing is written twice.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table webhooks (
     id text primary key,
     url text not null,
     description text not null,
     events text not null,
     revision integer not null,
     secret text not null,
     old_secret text,
     old_secret_until_ms integer,
     last_event_id integer not null,
     attempts integer not null,
     failing_since_ms integer,
     last_error text,
     disabled_at_ms integer,
     disabled_reason text,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  `create table webhook_deliveries (
     id text primary key,
     webhook_id text not null references webhooks (id) on delete cascade,
     event_id integer,
     type text not null,
     at_ms integer not null,
     attempt integer not null,
     status integer,
     duration_ms integer not null,
     error text,
     response text not null
   ) strict`,
  `create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id)`,
]
