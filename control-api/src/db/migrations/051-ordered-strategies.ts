// SPDX-License-Identifier: MIT
// The strategy as it was ordered: the policy has every value said, and no longer tells which of them somebody chose.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table rollouts add column strategy text`).execute(db)
}
