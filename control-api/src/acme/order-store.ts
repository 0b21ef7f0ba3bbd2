// SPDX-License-Identifier: MIT
// Orders at rest. What an order is about to do is written here before it is done.
import { type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Reader, Trx } from '../db/database.ts'
import type { AcmeTables } from '../db/tables/acme.ts'
import type { LiveChallenge } from './challenges.ts'

export type OrderRow = Selectable<AcmeTables['certificate_orders']>
/** What lists show. */
export type ShownOrder = Omit<OrderRow, 'key' | 'csr' | 'challenges' | 'replaces' | 'cleaned_up'>
/** Of `waiting_for`: `nodeIds` are 20 at most, `more` how many there are besides. */
export type WaitingFor = { reason: string; nodeIds: string[]; more: number }
/** Of `challenges`. */
export type KeptChallenge = LiveChallenge & {
  /** Where the CA is told to look. */
  url: string
  /** The CA was told. */
  isTold: boolean
}

/** Of those that have ended, of each certificate. */
export const ORDERS_KEPT = 20

const SHOWN = [
  'id',
  'certificate',
  'authority',
  'profile',
  'names',
  'challenge',
  'dns_webhook',
  'preferred_chain',
  'state',
  'order_url',
  'expires_at_ms',
  'failures',
  'waiting_for',
  'last_error',
  'version',
  'started_at_ms',
  'started_by',
  'ended_at_ms',
] as const satisfies readonly (keyof ShownOrder)[]

const purposeOf = (id: string) => `certificate order ${id}`
export const sealOrderKey = (box: SecretBox, id: string, keyPem: string): string =>
  box.seal(keyPem, purposeOf(id))
export const openOrderKey = (box: SecretBox, { id, key }: Pick<OrderRow, 'id' | 'key'>): string =>
  box.open(key, purposeOf(id))

/** Newest first. */
export const listOrders = (
  db: Reader,
  certificate: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<ShownOrder[]> =>
  db
    .selectFrom('certificate_orders')
    .select(SHOWN)
    .where('certificate', '=', certificate)
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Those that are open, by certificate. */
export async function openOrdersOf(
  db: Reader,
  certificates: readonly string[],
): Promise<Map<string, ShownOrder>> {
  if (certificates.length === 0) return new Map()
  const rows = await db
    .selectFrom('certificate_orders')
    .select(SHOWN)
    .where('ended_at_ms', 'is', null)
    .where(
      sql<boolean>`certificate in (select value from json_each(${JSON.stringify(certificates)}))`,
    )
    .execute()
  return new Map(rows.map((row) => [row.certificate, row]))
}

export const openOrder = (db: Reader, certificate: string): Promise<OrderRow | undefined> =>
  db
    .selectFrom('certificate_orders')
    .selectAll()
    .where('certificate', '=', certificate)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst()

/** All: there are never many. */
export const openOrders = (db: Reader): Promise<OrderRow[]> =>
  db
    .selectFrom('certificate_orders')
    .selectAll()
    .where('ended_at_ms', 'is', null)
    .orderBy('id')
    .execute()

/** How many are open at each authority. */
export async function openByAuthority(db: Reader): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('certificate_orders')
    .select(['authority', ({ fn }) => fn.countAll<number>().as('count')])
    .where('ended_at_ms', 'is', null)
    .groupBy('authority')
    .execute()
  return new Map(rows.map(({ authority, count }) => [authority, count]))
}

/** An open order of another certificate for one of these names; null: none. */
export async function openOrderFor(
  db: Reader,
  names: readonly string[],
  certificate: string,
): Promise<string | null> {
  const { rows } = await sql<{ certificate: string }>`
    select o.certificate from certificate_orders o, json_each(o.names) n
    where o.ended_at_ms is null and o.certificate <> ${certificate}
      and n.value in (select value from json_each(${JSON.stringify(names)})) limit 1`.execute(db)
  return rows[0]?.certificate ?? null
}

export async function insertOrder({ trx }: Unit, row: OrderRow): Promise<void> {
  await trx.insertInto('certificate_orders').values(row).execute()
}

/** False: it has ended meanwhile, and nothing was written. */
export async function updateOpenOrder(
  { trx }: Unit,
  id: string,
  columns: Partial<Omit<OrderRow, 'id'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('certificate_orders')
    .set(columns)
    .where('id', '=', id)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Its key is of no use any more, and goes. */
export const endOrder = (
  unit: Unit,
  id: string,
  ending: Pick<OrderRow, 'ended_at_ms'> & {
    state: 'issued' | 'failed' | 'cancelled'
    last_error?: string | null
    version?: number
  },
): Promise<boolean> => updateOpenOrder(unit, id, { ...ending, key: '' })

/** Ended, and perhaps with something published still. */
export const ordersToClean = (db: Reader, limit: number): Promise<OrderRow[]> =>
  db
    .selectFrom('certificate_orders')
    .selectAll()
    .where('cleaned_up', '=', 0)
    .where('ended_at_ms', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Nothing of it is left; and the oldest that are too many go. */
export async function noteCleaned({ trx }: Unit, { id, certificate }: OrderRow): Promise<void> {
  await trx
    .updateTable('certificate_orders')
    .set({ cleaned_up: 1, challenges: '[]' })
    .where('id', '=', id)
    .execute()
  await forgetOrders(trx, certificate)
}

/** All but the newest; all, when its certificate is managed no more. */
export async function forgetOrders(trx: Trx, certificate: string): Promise<void> {
  await sql`delete from certificate_orders where certificate = ${certificate} and cleaned_up = 1
    and id not in (
      select o.id from certificate_orders o
      join managed_certificates m on m.name = o.certificate
      where o.certificate = ${certificate} and o.ended_at_ms is not null
      order by o.id desc limit ${ORDERS_KEPT})`.execute(trx)
}
