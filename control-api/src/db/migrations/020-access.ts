// SPDX-License-Identifier: MIT
// People: whose roles count for which nodes, who may not sign in, second factors, where sessions are.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table users add column scope text`,
  `alter table users add column disabled integer not null default 0`,
  `alter table users add column revision integer not null default 1`,
  `alter table users add column totp_secret text`,
  `alter table users add column totp_pending text`,
  `alter table users add column totp_step integer not null default 0`,

  `create table recovery_codes (
     user_id text not null references users (id) on delete cascade,
     code_digest text not null,
     primary key (user_id, code_digest)
   ) strict, without rowid`,

  `alter table sessions add column address text`,
  `alter table sessions add column user_agent text`,
]
