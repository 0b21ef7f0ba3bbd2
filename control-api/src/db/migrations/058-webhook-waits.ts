// SPDX-License-Identifier: MIT
// Until when a webhook waits after a failure: what its receiver asked for holds over a restart.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks add column next_attempt_at_ms integer`.execute(db)
}
