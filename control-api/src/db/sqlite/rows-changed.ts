// SPDX-License-Identifier: MIT
// How many rows were changed so far: whether a part of a transaction left something behind.
import { CompiledQuery } from 'kysely'
import type { Trx } from '../database.ts'

const ROWS_CHANGED = CompiledQuery.raw('select total_changes() as rows')

/** By this connection since it was opened. */
export async function rowsChanged(trx: Trx): Promise<number> {
  const { rows } = await trx.executeQuery<{ rows: number }>(ROWS_CHANGED)
  return rows[0]?.rows ?? 0
}
