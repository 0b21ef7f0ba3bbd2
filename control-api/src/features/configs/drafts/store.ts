// SPDX-License-Identifier: MIT
// Drafts in control.db: the one there is, and those it was of late.
import { type Selectable, sql } from 'kysely'
import type { Unit } from '../../../audit/write.ts'
import type { Reader, Trx } from '../../../db/database.ts'
import type { ConfigTables } from '../../../db/tables/configs.ts'

export type DraftRevision = Selectable<ConfigTables['draft_revisions']>

/** The console saves while one types, every second or so: enough for others to have begun minutes ago. */
const REVISIONS_KEPT = 200
/** Of all of a config's together: of large texts fewer are kept. */
const BYTES_KEPT = 8 * 1024 * 1024

type DraftChange = {
  name: string
  text: string
  base: number
  author: string
  revision: number
  nowMs: number
}

export async function changeDraft({ trx }: Unit, draft: DraftChange): Promise<void> {
  const { name, text, author, revision, nowMs } = draft
  await trx
    .updateTable('configs')
    .set({
      draft_text: text,
      draft_base: draft.base,
      draft_updated_by: author,
      draft_updated_at_ms: nowMs,
      draft_revision: revision,
      updated_at_ms: nowMs,
    })
    .where('name', '=', name)
    .execute()
  await trx
    .insertInto('draft_revisions')
    .values({ config: name, revision, text, author, at_ms: nowMs })
    .execute()
  await forgetOldRevisions(trx, name)
}

/** The newest is always kept. */
const forgetOldRevisions = (trx: Trx, config: string) =>
  sql`
    delete from draft_revisions where config = ${config} and revision <= (
      select max(revision) from (
        select revision,
          row_number() over newest_first as position,
          sum(octet_length(text)) over newest_first as bytes
        from draft_revisions where config = ${config}
        window newest_first as (order by revision desc rows unbounded preceding)
      ) as placed where position > ${REVISIONS_KEPT} or (bytes > ${BYTES_KEPT} and position > 1)
    )
  `.execute(trx)

/** From that revision to the newest, in order; empty when it is too old to be known. */
export async function revisionsSince(
  db: Reader,
  config: string,
  revision: number,
): Promise<DraftRevision[]> {
  const rows = await db
    .selectFrom('draft_revisions')
    .selectAll()
    .where('config', '=', config)
    .where('revision', '>=', revision)
    .orderBy('revision')
    .execute()
  return rows[0]?.revision === revision ? rows : []
}
