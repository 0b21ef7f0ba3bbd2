// SPDX-License-Identifier: MIT
// The events at rest, as they are written and told. How people look for them: features/audit/store.ts.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { EventsTable, Reader, Trx } from '../db/database.ts'

const COLUMNS = ['id', 'kind', 'object_id', 'action', 'at_ms', 'actor'] as const
export type EventRow = Pick<Selectable<EventsTable>, (typeof COLUMNS)[number]> & {
  /** Of an alert, which says by itself what it is about: JSON. */
  detail: string | null
}

export type InsertedEvent = Insertable<EventsTable>

export async function insertEvents(trx: Trx, rows: readonly InsertedEvent[]): Promise<void> {
  const [first, ...more] = rows
  if (more.length === 0) {
    if (first) await trx.insertInto('events').values(first).execute()
    return
  }
  await sql`
    insert into events (id, at_ms, kind, object_id, action, actor, via, token_id, request_id, address, data, hash)
    select cast(value ->> 'id' as bigint), cast(value ->> 'at_ms' as bigint), value ->> 'kind', value ->> 'object_id', value ->> 'action',
      value ->> 'actor', value ->> 'via', value ->> 'token_id', value ->> 'request_id', value ->> 'address',
      value ->> 'data', value ->> 'hash'
    from json_each(${JSON.stringify(rows)}) order by cast(value ->> 'id' as bigint)`.execute(trx)
}

export const newestEvent = (db: Reader): Promise<{ id: number; hash: string } | undefined> =>
  db.selectFrom('events').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst()

/** 0: there is none. */
export async function newestEventId(db: Reader): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

/** Oldest first. */
export const eventsAfter = (db: Reader, id: number, limit: number): Promise<EventRow[]> =>
  db
    .selectFrom('events')
    .select(COLUMNS)
    .select(sql<string | null>`iif(kind = 'alert', data, null)`.as('detail'))
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()

/** The first since then; looks only at those after an id. */
export async function firstSince(
  db: Reader,
  { atMs, after }: { atMs: number; after: number },
): Promise<number | null> {
  const first = await db
    .selectFrom('events')
    .select('id')
    .where('id', '>', after)
    .where('at_ms', '>=', atMs)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first?.id ?? null
}

/** Whose chain it is: control-plane/, which is above, writes it before the first event. */
export async function ownId(db: Reader): Promise<string> {
  const own = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'controlPlaneId')
    .executeTakeFirst()
  return own?.value ?? ''
}
