// SPDX-License-Identifier: MIT
import type { Reader, Trx } from '../db/database.ts'

export const ticketKeysOf = (
  db: Reader,
  group: string,
): Promise<{ number: number; key: string }[]> =>
  db
    .selectFrom('ticket_keys')
    .select(['number', 'key'])
    .where('group_name', '=', group)
    .orderBy('number')
    .execute()

type NewKey = { group: string; number: number; key: string; fromMs: number }

export async function addTicketKey(
  trx: Trx,
  { group, number, key, fromMs }: NewKey,
): Promise<void> {
  await trx
    .insertInto('ticket_keys')
    .values({ group_name: group, number, key, from_ms: fromMs })
    .execute()
}

/** Of all groups, also of those that are gone. */
export async function dropTicketKeys(trx: Trx, before: number): Promise<void> {
  await trx.deleteFrom('ticket_keys').where('number', '<', before).execute()
}
