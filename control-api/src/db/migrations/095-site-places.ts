// SPDX-License-Identifier: MIT
// Where a site stands in its text: nodes count requests by that. The texts are read again after the start, as they were
// when the tables were new.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `delete from site_hosts`,
  `delete from sites`,
  `delete from sites_read`,
  `alter table sites add column place integer not null default 0`,
]
