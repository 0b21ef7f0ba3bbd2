// SPDX-License-Identifier: MIT
// Versions that nodes show under names of their own.
import type { Selectable } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { Reader } from '../db/database.ts'
import type { ReleasePreviewsTable } from '../db/tables/releases.ts'

export type PreviewRow = Selectable<ReleasePreviewsTable>

/** Few: there is a bound for the farm. The newest first. */
export const allPreviews = (db: Reader): Promise<PreviewRow[]> =>
  db.selectFrom('release_previews').selectAll().orderBy('id', 'desc').execute()

export const insertPreview = async ({ trx }: Unit, row: PreviewRow): Promise<void> => {
  await trx.insertInto('release_previews').values(row).execute()
}

export const deletePreview = async ({ trx }: Unit, id: string): Promise<void> => {
  await trx.deleteFrom('release_previews').where('id', '=', id).execute()
}
