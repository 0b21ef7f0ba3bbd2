// SPDX-License-Identifier: MIT
// Backups that were made, and those that failed and why.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table backups (
     id text primary key,
     state text not null,
     trigger text not null,
     file_name text not null unique,
     created_by text,
     created_at_ms integer not null,
     ended_at_ms integer,
     size_bytes integer,
     sha256 text,
     epoch integer,
     schema text,
     reason text not null
   ) strict`,
]
