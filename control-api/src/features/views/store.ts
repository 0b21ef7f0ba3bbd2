// SPDX-License-Identifier: MIT
// Views at rest: each of one person, who alone sees it.
import type { Selectable } from 'kysely'
import type { Reader, Trx } from '../../db/database.ts'
import type { ViewTables } from '../../db/tables/views.ts'

export type ViewRow = Selectable<ViewTables['saved_views']>
type Key = Pick<ViewRow, 'user_id' | 'list' | 'name'>

/** By list and name. */
export const viewsOf = (db: Reader, userId: string): Promise<ViewRow[]> =>
  db
    .selectFrom('saved_views')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('list')
    .orderBy('name')
    .execute()

export const saveView = async (trx: Trx, row: ViewRow): Promise<void> => {
  const { search, saved_at_ms } = row
  await trx
    .insertInto('saved_views')
    .values(row)
    .onConflict((on) =>
      on.columns(['user_id', 'list', 'name']).doUpdateSet({ search, saved_at_ms }),
    )
    .execute()
}

/** Whether there was one. */
export async function deleteView(trx: Trx, { user_id, list, name }: Key): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('saved_views')
    .where('user_id', '=', user_id)
    .where('list', '=', list)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
