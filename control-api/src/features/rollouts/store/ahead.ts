// SPDX-License-Identifier: MIT
// Which rollouts have files go first, and what each of their nodes is to hold for them.
import { sql } from 'kysely'
import type { ReleaseVersion } from '../../../agent-protocol/messages.gen.ts'
import { partsByText } from '../../../assignments/store.ts'
import { nextTurn } from '../../../base/slices.ts'
import type { Reader } from '../../../db/database.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'

export type RolloutAhead = { id: string; releases: readonly PlannedRelease[] }

/** Begun, and not over: as long as there are two kinds of nodes. */
export async function rolloutsAhead(db: Reader): Promise<RolloutAhead[]> {
  const rows = await db
    .selectFrom('rollouts')
    .select(['id', 'releases'])
    .where('ended_at_ms', 'is', null)
    .where('state', 'in', ['running', 'paused', 'reverting', 'revert_incomplete'])
    .where(sql<boolean>`policy ->> 'filesFirstMs' is not null`)
    .execute()
  return rows.map(({ id, releases }) => ({ id, releases: JSON.parse(releases) }))
}

const ROWS_AT_A_TIME = 1000

/** Of these manifests those that go with what each of its nodes is to run. */
export async function wantedAhead(
  db: Reader,
  rolloutId: string,
  manifests: ReadonlySet<string>,
): Promise<Map<string, readonly ReleaseVersion[]>> {
  const wanted = new Map<string, readonly ReleaseVersion[]>()
  const ofText = new Map<string, readonly ReleaseVersion[]>()
  for (let after = ''; ; await nextTurn()) {
    const rows = await db
      .selectFrom('node_tasks')
      .select(['node_id', 'text_id'])
      .where('rollout_id', '=', rolloutId)
      .where('node_id', '>', after)
      .orderBy('node_id')
      .limit(ROWS_AT_A_TIME)
      .execute()
    const unread = [...new Set(rows.map((row) => row.text_id))].filter((id) => !ofText.has(id))
    const parts = await partsByText(db, unread)
    for (const id of unread) {
      const all = parts.get(id)?.releases ?? []
      ofText.set(
        id,
        all.filter(({ manifestSha256 }) => manifests.has(manifestSha256)),
      )
    }
    for (const row of rows) wanted.set(row.node_id, ofText.get(row.text_id) ?? [])
    const last = rows.at(-1)
    if (rows.length < ROWS_AT_A_TIME || !last) return wanted
    after = last.node_id
  }
}
