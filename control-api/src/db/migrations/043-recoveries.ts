// SPDX-License-Identifier: MIT
// How often access to an account was recovered: what was handed out before is worth nothing afterwards.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column recoveries integer not null default 0`.execute(db)
}
