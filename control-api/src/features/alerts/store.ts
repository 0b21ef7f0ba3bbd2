// SPDX-License-Identifier: MIT
// Rules, alerts and silences at rest.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import type { Unit } from '../../audit/write.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { labelsWithin } from '../../db/labels.ts'
import type { AlertTables } from '../../db/tables/alerts.ts'
import { AlertRuleNotFound } from './errors.ts'

export type AlertRuleRow = Selectable<AlertTables['alert_rules']>
export type AlertRow = Selectable<AlertTables['alerts']>
export type SilenceRow = Selectable<AlertTables['alert_silences']>
/** As literals: partial indexes are for who names their condition. */
const OPEN = [sql.lit<'pending'>('pending'), sql.lit<'firing'>('firing')]
const UNTOLD = sql.lit(1)

type Page = { before: string | undefined; limit: number }

export const listAlertRules = (db: Reader, { before, limit }: Page): Promise<AlertRuleRow[]> =>
  db
    .selectFrom('alert_rules')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('name', '>', before ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute()

export const findAlertRule = (db: Reader, id: string): Promise<AlertRuleRow | undefined> =>
  db.selectFrom('alert_rules').selectAll().where('id', '=', id).executeTakeFirst()

export async function requireAlertRule({ trx }: Unit, id: string): Promise<AlertRuleRow> {
  const row = await findAlertRule(trx, id)
  if (!row) throw new AlertRuleNotFound(id)
  return row
}

export async function isNameTaken({ trx }: Unit, name: string, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('alert_rules')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined && row.id !== id
}

export async function countAlertRules(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('alert_rules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function countSilences(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('alert_silences')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export const insertAlertRule = async ({ trx }: Unit, row: AlertRuleRow): Promise<void> => {
  await trx.insertInto('alert_rules').values(row).execute()
}

export const updateAlertRule = (
  { trx }: Pick<Unit, 'trx'>,
  id: string,
  columns: Partial<AlertRuleRow>,
): Promise<AlertRuleRow> =>
  trx
    .updateTable('alert_rules')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteAlertRule = async ({ trx }: Unit, id: string): Promise<void> => {
  await trx.deleteFrom('alert_rules').where('id', '=', id).execute()
}

/** What is open is told by what its rule is called by now. */
export async function renameOpenAlerts(
  { trx }: Unit,
  ruleId: string,
  { name, severity }: Pick<AlertRuleRow, 'name' | 'severity'>,
): Promise<void> {
  await trx
    .updateTable('alerts')
    .set({ rule_name: name, severity })
    .where('rule_id', '=', ruleId)
    .where('state', 'in', OPEN)
    .execute()
}

/** What the rule found is of another rule than it is from now on. */
export async function endAlertsOf(
  { trx }: Unit,
  ruleId: string,
  { nowMs, because }: { nowMs: number; because: string },
): Promise<void> {
  await trx
    .deleteFrom('alerts')
    .where('rule_id', '=', ruleId)
    .where('state', '=', 'pending')
    .execute()
  await sql`update alerts set state = 'resolved', resolved_at_ms = ${nowMs}, resolved_because = ${because},
      is_untold = case when firing_told_at_ms is not null then 1 else 0 end
    where rule_id = ${ruleId} and state = 'firing'`.execute(trx)
}

/** Pending and firing ones of a rule, by their subjects. */
export const openAlerts = (
  db: Reader,
  ruleId: string,
  { after, limit }: { after: string; limit: number },
): Promise<AlertRow[]> =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .where('state', 'in', OPEN)
    .where('subject_id', '>', after)
    .orderBy('subject_id')
    .limit(limit)
    .execute()

export async function countOpen(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', OPEN)
    .executeTakeFirstOrThrow()
  return count
}

export const insertAlerts = async (trx: Trx, rows: readonly AlertRow[]): Promise<void> => {
  if (rows.length > 0) await trx.insertInto('alerts').values(rows).execute()
}

export const updateAlert = async (
  trx: Trx,
  id: string,
  columns: Partial<AlertRow>,
): Promise<void> => {
  await trx.updateTable('alerts').set(columns).where('id', '=', id).execute()
}

export const deleteAlert = async (trx: Trx, id: string): Promise<void> => {
  await trx.deleteFrom('alerts').where('id', '=', id).execute()
}

/** Rules with something to tell, those that are gone as well. */
export async function rulesWithNews(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('rule_id')
    .distinct()
    .where('is_untold', '=', UNTOLD)
    .execute()
  return rows.map(({ rule_id }) => rule_id)
}

export const untoldAlerts = (
  db: Reader,
  ruleId: string,
  { after, limit }: { after: string; limit: number },
): Promise<AlertRow[]> =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where('is_untold', '=', UNTOLD)
    .where('rule_id', '=', ruleId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Of the last hour: how often it fired, and how often that was told. */
export async function lately(
  db: Reader,
  { rule_id, subject_id }: Pick<AlertRow, 'rule_id' | 'subject_id'>,
  nowMs: number,
): Promise<{ fired: number; told: number }> {
  const sinceMs = nowMs - 3600_000
  const row = await db
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll<number>().as('fired'))
    .select(({ fn, eb }) =>
      fn
        .countAll<number>()
        .filterWhere(eb('firing_told_at_ms', '>', sinceMs))
        .as('told'),
    )
    .where('rule_id', '=', rule_id)
    .where('subject_id', '=', subject_id)
    .where('firing_at_ms', '>', sinceMs)
    .executeTakeFirstOrThrow()
  return row
}

/** All of them, in one statement. */
export async function markTold(trx: Trx, ids: readonly string[], nowMs: number): Promise<void> {
  await sql`update alerts set is_untold = 0,
      firing_told_at_ms = iif(state = 'firing', ${nowMs}, firing_told_at_ms),
      resolved_told_at_ms = iif(state = 'resolved', ${nowMs}, resolved_told_at_ms)
    where id in (select value from json_each(${JSON.stringify(ids)}))`.execute(trx)
}

/** What was not looked at says nothing: times that are waited for go on from now. */
export async function shiftTimes(trx: Trx, byMs: number): Promise<void> {
  await sql`update alerts set pending_at_ms = pending_at_ms + ${byMs} where state = 'pending'`.execute(
    trx,
  )
  await sql`update alerts set clear_since_ms = clear_since_ms + ${byMs}
    where state = 'firing' and clear_since_ms is not null`.execute(trx)
}

export async function lookedAtMs(db: Reader): Promise<number | null> {
  const row = await db.selectFrom('alert_watch').select('looked_at_ms').executeTakeFirst()
  return row?.looked_at_ms ?? null
}

export async function setLookedAt(trx: Trx, nowMs: number): Promise<void> {
  await trx
    .insertInto('alert_watch')
    .values({ id: 1, looked_at_ms: nowMs })
    .onConflict((oc) => oc.column('id').doUpdateSet({ looked_at_ms: nowMs }))
    .execute()
}

/** Of those that are over, the newest are kept. */
export async function pruneHistory(trx: Trx, kept: number): Promise<void> {
  await sql`delete from alerts where state = 'resolved' and is_untold = 0 and id <= (
    select id from alerts where state = 'resolved' order by id desc limit 1 offset ${kept})`.execute(
    trx,
  )
}

type Wanted = Page & {
  scope: Scope
  state?: AlertRow['state'] | undefined
  node?: string | undefined
}

/** Newest first. Who sees some nodes only sees alerts of these. */
export function listAlerts(db: Reader, wanted: Wanted): Promise<AlertRow[]> {
  const { before, limit, scope, state, node } = wanted
  return db
    .selectFrom('alerts')
    .selectAll('alerts')
    .$if(before !== undefined, (query) => query.where('alerts.id', '<', before ?? ''))
    .$if(state !== undefined, (query) => query.where('alerts.state', '=', state ?? 'firing'))
    .$if(node !== undefined, (query) => query.where('alerts.node_id', '=', node ?? ''))
    .$if(scope !== null, (query) => query.where((eb) => isOfNodeWithin(eb, scope)))
    .orderBy('alerts.id', 'desc')
    .limit(limit)
    .execute()
}

const isOfNodeWithin = (eb: ExpressionBuilder<Database, 'alerts'>, scope: Scope) =>
  eb.exists(
    eb
      .selectFrom('nodes')
      .select('nodes.id')
      .whereRef('nodes.id', '=', 'alerts.node_id')
      .where(labelsWithin('nodes.labels', scope)),
  )

export const findAlert = (db: Reader, id: string, scope: Scope): Promise<AlertRow | undefined> =>
  db
    .selectFrom('alerts')
    .selectAll('alerts')
    .where('alerts.id', '=', id)
    .$if(scope !== null, (query) => query.where((eb) => isOfNodeWithin(eb, scope)))
    .executeTakeFirst()

export const listSilences = (db: Reader, { before, limit }: Page): Promise<SilenceRow[]> =>
  db
    .selectFrom('alert_silences')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findSilence = (db: Reader, id: string): Promise<SilenceRow | undefined> =>
  db.selectFrom('alert_silences').selectAll().where('id', '=', id).executeTakeFirst()

export const insertSilence = async ({ trx }: Unit, row: SilenceRow): Promise<void> => {
  await trx.insertInto('alert_silences').values(row).execute()
}

export const deleteSilence = async ({ trx }: Unit, id: string): Promise<void> => {
  await trx.deleteFrom('alert_silences').where('id', '=', id).execute()
}

/** What is about a rule that is gone is about nothing. */
export const takeSilencesOf = ({ trx }: Unit, ruleId: string): Promise<SilenceRow[]> =>
  trx.deleteFrom('alert_silences').where('rule_id', '=', ruleId).returningAll().execute()

/** The end of one is in the audit since it was made. */
export const deleteEndedSilences = async (trx: Trx, nowMs: number): Promise<void> => {
  await trx.deleteFrom('alert_silences').where('until_ms', '<=', nowMs).execute()
}
