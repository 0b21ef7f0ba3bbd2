// SPDX-License-Identifier: MIT
// Tokens with which programs do part of what their owner may.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // What a token made goes with it: else who found a token could keep what he made of it.
  `create table api_tokens (
     id text primary key,
     user_id text not null references users (id) on delete cascade,
     name text not null,
     secret_digest text not null,
     permissions text,
     made_with text references api_tokens (id) on delete cascade,
     created_at_ms integer not null,
     expires_at_ms integer not null,
     last_used_at_ms integer,
     last_used_from text
   ) strict`,
  `create index api_tokens_by_user on api_tokens (user_id, id)`,
  `create index api_tokens_by_maker on api_tokens (made_with) where made_with is not null`,
]
