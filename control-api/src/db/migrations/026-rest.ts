// SPDX-License-Identifier: MIT
// What became of requests with an Idempotency-Key, and an index for each filter of the list of rollouts.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table idempotency_keys (
     caller text not null,
     route text not null,
     key text not null,
     request_digest text not null,
     outcome text not null,
     answer text,
     size_bytes integer not null,
     started_at_ms integer not null,
     primary key (caller, route, key)
   ) strict, without rowid`,
  `create index idempotency_keys_by_age on idempotency_keys (started_at_ms)`,

  `create index rollouts_by_state on rollouts (state, id)`,
  `create index rollouts_by_config on rollouts (config, id)`,
  `create index rollouts_by_author on rollouts (author, id)`,
]
