// SPDX-License-Identifier: MIT
// Managed certificates at rest: which names, whom from, and when something is next to be done for each.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { Reader } from '../db/database.ts'
import type { AcmeTables } from '../db/tables/acme.ts'
import type { Hold } from './decisions.ts'
import { endOrder, forgetOrders, openOrder } from './order-store.ts'

export type ManagedRow = Selectable<AcmeTables['managed_certificates']>
export type NewManagedRow = Insertable<AcmeTables['managed_certificates']>
/** Of `authorities`. */
export type ChosenAuthority = { name: string; profile: string | null }
/** Of `holds`. `saidUntilMs`: so long the CA itself wants to be left alone; nobody takes that away. */
export type OwnHold = Hold & { saidUntilMs: number }
/** Of `renewal_window`. */
export type RenewalWindow = { startMs: number; endMs: number; explanationUrl: string | null }
/** Of `roll_out_left`: of this version of the certificate; configs null: all that bring it somewhere. */
export type RollOutLeft = { atMs: number; version: number; configs: string[] | null }
/**
 * ordering: an order is open. paused: nothing is begun. waiting: it is due, and held. issued: its time has not come.
 */
export type ManagedState = 'ordering' | 'paused' | 'waiting' | 'issued'

/** Nothing is to be done. SQLite's integers and ours hold it. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER

export const isDue = (
  { asked_by, renew_at_ms }: Pick<ManagedRow, 'asked_by' | 'renew_at_ms'>,
  nowMs: number,
): boolean => asked_by !== null || renew_at_ms === null || renew_at_ms <= nowMs

/** As stateIs has it in SQL. */
export function managedState(row: ManagedRow, isOrdering: boolean, nowMs: number): ManagedState {
  if (isOrdering) return 'ordering'
  if (row.paused === 1) return 'paused'
  return isDue(row, nowMs) ? 'waiting' : 'issued'
}

const stateOf = (nowMs: number) => sql<ManagedState>`case
  when exists (select 1 from certificate_orders o
    where o.certificate = managed_certificates.name and o.ended_at_ms is null) then 'ordering'
  when paused = 1 then 'paused'
  when asked_by is not null or renew_at_ms is null or renew_at_ms <= ${nowMs} then 'waiting'
  else 'issued' end`

type Wanted = { after: string; limit: number; q: string; state: ManagedState | null; nowMs: number }

/** `q`: part of its name or of one of its hosts. */
export const listManaged = (
  db: Reader,
  { after, limit, q, state, nowMs }: Wanted,
): Promise<ManagedRow[]> =>
  db
    .selectFrom('managed_certificates')
    .selectAll()
    .where('name', '>', after)
    .$if(q !== '', (query) =>
      query.where(sql<boolean>`(instr(name, ${q}) > 0 or instr(names, ${q}) > 0)`),
    )
    .$if(state !== null, (query) => query.where(stateOf(nowMs), '=', state ?? 'issued'))
    .orderBy('name')
    .limit(limit)
    .execute()

export const findManaged = (db: Reader, name: string): Promise<ManagedRow | undefined> =>
  db.selectFrom('managed_certificates').selectAll().where('name', '=', name).executeTakeFirst()

export async function countManaged(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('managed_certificates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function managedByState(
  db: Reader,
  nowMs: number,
): Promise<Map<ManagedState, number>> {
  const rows = await db
    .selectFrom('managed_certificates')
    .select([stateOf(nowMs).as('state'), ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/** `next_action_at_ms` now, and `asked_by` whoever wants the first order at once; then wake the engine. */
export async function insertManaged({ trx }: Unit, row: NewManagedRow): Promise<void> {
  await trx.insertInto('managed_certificates').values(row).execute()
}

/** By people: with the next `revision`, and `next_action_at_ms` now, so that the engine looks. */
export async function updateManaged(
  { trx }: Unit,
  name: string,
  columns: Partial<Omit<ManagedRow, 'name'>>,
): Promise<ManagedRow> {
  return await trx
    .updateTable('managed_certificates')
    .set(columns)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** By the engine. Nothing, when it is managed no more. */
export async function noteManaged(
  { trx }: Unit,
  name: string,
  columns: Partial<Omit<ManagedRow, 'name' | 'revision'>>,
): Promise<void> {
  await trx.updateTable('managed_certificates').set(columns).where('name', '=', name).execute()
}

/** An order that is open has times of its own. */
export async function lookSoon({ trx }: Unit, name: string, nowMs: number): Promise<void> {
  await sql`update managed_certificates set next_action_at_ms = ${nowMs}
    where name = ${name} and not exists (
      select 1 from certificate_orders where certificate = ${name} and ended_at_ms is null)`.execute(
    trx,
  )
}

/** Unless somebody wants it looked at meanwhile. */
export async function postponeManaged(
  { trx }: Unit,
  { name, next_action_at_ms }: ManagedRow,
  untilMs: number,
): Promise<void> {
  await trx
    .updateTable('managed_certificates')
    .set({ next_action_at_ms: untilMs })
    .where('name', '=', name)
    .where('next_action_at_ms', '=', next_action_at_ms)
    .execute()
}

type Due = { name: string; authority: string }
/** As many are looked through for those that are not left out. */
const LOOKED_THROUGH = 500

/**
 * Those whose time has come, the longest first, with the authority that is asked: of an order that is open, or that comes
 * first. Left out are these certificates, and what would ask these authorities.
 */
export async function dueManaged(
  db: Reader,
  wanted: { nowMs: number; limit: number; except: readonly string[]; busy: readonly string[] },
): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select name, authority from (
      select m.name, m.next_action_at_ms, coalesce(
        (select o.authority from certificate_orders o
          where o.certificate = m.name and o.ended_at_ms is null),
        m.authorities -> 0 ->> 'name') as authority
      from managed_certificates m where m.next_action_at_ms <= ${wanted.nowMs}
      order by m.next_action_at_ms, m.name limit ${LOOKED_THROUGH}) as due
    where name not in (select value from json_each(${JSON.stringify(wanted.except)}))
      and authority not in (select value from json_each(${JSON.stringify(wanted.busy)}))
    order by next_action_at_ms, name limit ${wanted.limit}`.execute(db)
  return rows
}

/** When the next one's time comes; null: there are none. */
export async function nextActionMs(db: Reader, afterMs: number): Promise<number | null> {
  const row = await db
    .selectFrom('managed_certificates')
    .select('next_action_at_ms')
    .where('next_action_at_ms', '>', afterMs)
    .orderBy('next_action_at_ms')
    .limit(1)
    .executeTakeFirst()
  return row?.next_action_at_ms ?? null
}

/** Their time has come, and their last order failed; those that were due first first. */
export async function failingManaged(db: Reader, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('managed_certificates')
    .select('name')
    .where('last_error', 'is not', null)
    .where(({ eb, or }) => or([eb('renew_at_ms', 'is', null), eb('renew_at_ms', '<=', nowMs)]))
    .orderBy('renew_at_ms', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** An order that is open is given up; what it published is taken away later. The certificate stays. */
export async function deleteManaged(unit: Unit, name: string, nowMs: number): Promise<void> {
  await cancelOrder(unit, name, nowMs)
  await unit.trx.deleteFrom('managed_certificates').where('name', '=', name).execute()
  await forgetOrders(unit.trx, name)
}

const DAY_MS = 24 * 3600_000

/** False: none is open. No other is begun before somebody asks for it, or a day is over. Then wake the engine. */
export async function cancelOrder(unit: Unit, name: string, nowMs: number): Promise<boolean> {
  const order = await openOrder(unit.trx, name)
  if (!order) return false
  await endOrder(unit, order.id, { state: 'cancelled', ended_at_ms: nowMs })
  const managed = await findManaged(unit.trx, name)
  if (!managed) return true
  const holds = holdsOf(managed)
  const authorities: ChosenAuthority[] = JSON.parse(managed.authorities)
  const held = authorities.map(({ name: authority }) => {
    const { untilMs = 0, failures = 0, saidUntilMs = 0 } = holds[authority] ?? {}
    return [authority, { untilMs: Math.max(untilMs, nowMs + DAY_MS), failures, saidUntilMs }]
  })
  await updateManaged(unit, name, {
    asked_by: null,
    holds: JSON.stringify({ ...holds, ...Object.fromEntries(held) }),
    next_action_at_ms: nowMs,
  })
  return true
}

export const holdsOf = ({ holds }: Pick<ManagedRow, 'holds'>): Record<string, OwnHold> =>
  JSON.parse(holds)

/**
 * Somebody wants an order now: our own holds go, what a CA said stays. False: an order is open already.
 * Then wake the engine.
 */
export async function askForOrder(
  unit: Unit,
  row: ManagedRow,
  { actor, nowMs }: { actor: string; nowMs: number },
): Promise<boolean> {
  if (await openOrder(unit.trx, row.name)) return false
  const holds = Object.entries(holdsOf(row)).flatMap(([name, { saidUntilMs }]) =>
    saidUntilMs > nowMs ? [[name, { untilMs: saidUntilMs, failures: 0, saidUntilMs }]] : [],
  )
  await updateManaged(unit, row.name, {
    asked_by: actor,
    holds: JSON.stringify(Object.fromEntries(holds)),
    next_action_at_ms: nowMs,
  })
  return true
}
