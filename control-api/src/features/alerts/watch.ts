// SPDX-License-Identifier: MIT
// Looks at the rules again and again, writes what became of their alerts, and tells it. What is to be told is a mark on the
// row, written with the change of state; telling is an event, written with the mark's end. So a crash at any point loses
// nothing and tells nothing twice; webhooks have the event from there, with an id of its own.
import type { Kysely } from 'kysely'
import type { NewEvent } from '../../audit/event.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newId } from '../../base/ids.ts'
import { inSlices, nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import { lookAtBurnRate } from './burn-rate.ts'
import { type Bad, type Farm, type Found, isOfState, type LookDeps, lookAtState } from './look.ts'
import { lookAtMeasurements, type MeasuredDeps, type Ruled } from './measured.ts'
import { type Change, isSaidAnew, next, TOLD_IN_AN_HOUR, TOLD_SINGLY } from './rules.ts'
import type { BurnRate, Condition, Measurement } from './schema.ts'
import {
  type AlertRow,
  type AlertRuleRow,
  countOpen,
  deleteAlert,
  deleteEndedSilences,
  findAlertRule,
  insertAlerts,
  lately,
  listAlertRules,
  listSilences,
  lookedAtMs,
  markTold,
  openAlerts,
  pruneHistory,
  rulesWithNews,
  setLookedAt,
  shiftTimes,
  untoldAlerts,
  updateAlert,
  updateAlertRule,
} from './store.ts'
import { type SilencedUntil, silencing, subjectOf } from './view.ts'

export type WatchDeps = Omit<LookDeps, 'db'> &
  MeasuredDeps & {
    db: Kysely<Database>
    write: Write
    now: () => number
    farm: (nowMs: number) => Promise<Farm>
    /** No room on the disk. */
    isHeld: () => boolean
    everyMs?: number | undefined
    onError: (error: unknown) => void
  }

export const RULES_MAX = 100
export const SILENCES_MAX = 200
/** Pending and firing, of all rules. */
const OPEN_MAX = 20_000
const HISTORY_KEPT = 10_000
const LOOK_EVERY_MS = 15_000
/** Measurements come by the minute. */
const MEASURE_EVERY_MS = 60_000
/** The machine slept, the service was away, or the clock was set: nobody looked meanwhile. */
const GAP_MS = 5 * LOOK_EVERY_MS
const ALERTS_AT_ONCE = 200
/** Rows that are read, or told, between two turns of the loop. */
const ROWS_AT_ONCE = 1_000
const PRUNE_EVERY_MS = 600_000

type Rule = { row: AlertRuleRow; condition: Condition }

export function startAlertWatch(deps: WatchDeps) {
  const { db, write, now } = deps
  let lastMs: number | null = null
  let keptMs = 0
  let measuredMs = Number.NEGATIVE_INFINITY
  let prunedMs = Number.NEGATIVE_INFINITY

  async function pass(): Promise<void> {
    if (deps.isHeld()) return
    const nowMs = now()
    await bridgeGap(nowMs)
    const rows = await listAlertRules(db, { before: undefined, limit: RULES_MAX })
    const enabled = rows.filter((row) => row.enabled === 1)
    const rules = enabled.map((row): Rule => ({ row, condition: JSON.parse(row.condition) }))
    const farm = await deps.farm(nowMs)
    for (const rule of rules) {
      const { row, condition } = rule
      if (!isOfState(condition)) continue
      const asked = { condition, appliesTo: row.applies_to }
      await judge(rule, () => lookAtState(deps, asked, farm), nowMs)
    }
    if (Math.abs(nowMs - measuredMs) >= MEASURE_EVERY_MS) {
      measuredMs = nowMs
      await lookAtMeasured(rules, farm)
    }
    for (const ruleId of await rulesWithNews(db)) await tellOf(ruleId, farm)
    if (Math.abs(nowMs - prunedMs) >= PRUNE_EVERY_MS) {
      prunedMs = nowMs
      await write(async ({ trx }) => {
        await pruneHistory(trx, HISTORY_KEPT)
        await deleteEndedSilences(trx, nowMs)
      })
    }
  }

  /** Written once a minute: what is not watched of it says nothing either way. */
  async function bridgeGap(nowMs: number): Promise<void> {
    const before = lastMs ?? (await lookedAtMs(db)) ?? nowMs
    const gapMs = nowMs - before
    if (gapMs > GAP_MS || gapMs < 0) await write(({ trx }) => shiftTimes(trx, gapMs))
    if (Math.abs(nowMs - keptMs) >= MEASURE_EVERY_MS) {
      await write(({ trx }) => setLookedAt(trx, nowMs))
      keptMs = nowMs
    }
    lastMs = nowMs
  }

  async function lookAtMeasured(rules: readonly Rule[], farm: Farm): Promise<void> {
    const ofValues = rules.flatMap(({ row: { id, applies_to: appliesTo }, condition }) =>
      condition.kind === 'measurement'
        ? [{ id, appliesTo, condition } satisfies Ruled<Measurement>]
        : [],
    )
    const answers = lookAtMeasurements(deps, ofValues, farm)
    // Told of with each of its rules.
    answers.catch(() => {})
    for (const rule of rules) {
      const { row, condition } = rule
      if (condition.kind === 'burn-rate') {
        const asked: Ruled<BurnRate> = { id: row.id, appliesTo: row.applies_to, condition }
        await judge(rule, () => lookAtBurnRate(deps, asked, farm), farm.nowMs)
      } else if (condition.kind === 'measurement') {
        await judge(rule, async () => orThrow((await answers).get(row.id)), farm.nowMs)
      }
    }
  }

  /** A rule that cannot be looked at changes nothing, and says why. */
  async function judge(rule: Rule, look: () => Promise<Found>, nowMs: number): Promise<void> {
    let failing: string | null = null
    try {
      const found = await look()
      failing = await settle(rule, found, nowMs)
    } catch (error) {
      failing = error instanceof Error ? error.message : String(error)
    }
    if (failing === rule.row.failing) return
    await write(async (unit) => {
      const row = await findAlertRule(unit.trx, rule.row.id)
      if (row) await updateAlertRule(unit, row.id, { failing })
    })
  }

  /** Returns what stood in the way; null: nothing. */
  async function settle({ row }: Rule, found: Found, nowMs: number): Promise<string | null> {
    const open = await readOpen(db, row.id)
    const steps = stepsOf(row, found, open, nowMs)
    let isFull = false
    for (const some of inSlices(steps, ALERTS_AT_ONCE)) {
      isFull = (await write((unit) => take(unit, row, some, nowMs))) || isFull
      await nextTurn()
    }
    return isFull
      ? `There are ${OPEN_MAX} alerts open, which is the most: more are not kept. Narrow the rule.`
      : null
  }

  async function tellOf(ruleId: string, farm: Farm): Promise<void> {
    const silences = await listSilences(db, { before: undefined, limit: SILENCES_MAX })
    const labelsOf = (nodeId: string) => farm.members.get(nodeId)?.node.labels ?? null
    const silencedUntil = silencing(silences, labelsOf, farm.nowMs)
    for (let after: string | null = ''; after !== null; await nextTurn()) {
      const from: string = after
      after = await write((unit) =>
        tellSome(unit, { ruleId, after: from }, silencedUntil, farm.nowMs),
      )
    }
  }

  let looking = Promise.resolve()
  const look = (): Promise<void> => {
    looking = looking.then(pass).catch(deps.onError)
    return looking
  }
  let isBehind = false
  const timer = setInterval(() => {
    // One pass at a time, however long it takes.
    if (isBehind) return
    isBehind = true
    void look().finally(() => {
      isBehind = false
    })
  }, deps.everyMs ?? LOOK_EVERY_MS)
  timer.unref()
  return {
    look,
    stop(): Promise<void> {
      clearInterval(timer)
      return looking
    },
  }
}

/** By subject; others have their turn between. */
async function readOpen(db: Kysely<Database>, ruleId: string): Promise<Map<string, AlertRow>> {
  const open = new Map<string, AlertRow>()
  for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
    const some = await openAlerts(db, ruleId, { after, limit: ROWS_AT_ONCE })
    for (const one of some) open.set(one.subject_id, one)
    after = some.length < ROWS_AT_ONCE ? undefined : some.at(-1)?.subject_id
  }
  return open
}

function orThrow(found: Found | Error | undefined): Found {
  if (found === undefined) throw new Error('it was not looked at')
  if (found instanceof Error) throw found
  return found
}

type Step = { open: AlertRow | null; change: Change; bad: Bad | null }

function stepsOf(
  rule: AlertRuleRow,
  found: Found,
  open: ReadonlyMap<string, AlertRow>,
  nowMs: number,
): Step[] {
  const times = { forSeconds: rule.for_seconds, keepFiringSeconds: rule.keep_firing_seconds }
  const isBad = new Set(found.bad.map(({ subject }) => subject.id))
  const ofBad = found.bad.map((bad): Step => {
    const before = open.get(bad.subject.id) ?? null
    return { open: before, bad, change: next(asOpen(before), 'bad', times, nowMs) }
  })
  const others = [...open.values()]
    .filter(({ subject_id }) => !isBad.has(subject_id))
    .map((before): Step => {
      const standing = found.standingOf(before.subject_id)
      return { open: before, bad: null, change: next(asOpen(before), standing, times, nowMs) }
    })
  return [...ofBad, ...others].filter(
    ({ open: before, bad, change }) =>
      change.to !== 'same' || (before && bad && isSaidAnew(saidIn(before), saidNow(bad))),
  )
}

const saidIn = ({ value, subject_name: name }: AlertRow) => ({ value, name })
const saidNow = ({ value, subject: { name } }: Bad) => ({ value, name })

const asOpen = (row: AlertRow | null) =>
  row && {
    state: row.state === 'firing' ? ('firing' as const) : ('pending' as const),
    pendingAtMs: row.pending_at_ms,
    clearSinceMs: row.clear_since_ms,
    isWithoutData: row.is_without_data === 1,
  }

/** Whether there was no room for all of them. A rule that was changed meanwhile is looked at anew. */
async function take(
  { trx }: Unit,
  rule: AlertRuleRow,
  steps: readonly Step[],
  nowMs: number,
): Promise<boolean> {
  const current = await findAlertRule(trx, rule.id)
  if (current?.revision !== rule.revision) return false
  const fresh = steps.flatMap(({ open, bad, change }) =>
    open === null && bad ? [newAlert(rule, bad, change.to === 'firing', nowMs)] : [],
  )
  const room = fresh.length === 0 ? 0 : OPEN_MAX - (await countOpen(trx))
  await insertAlerts(trx, fresh.slice(0, Math.max(0, room)))
  for (const { open, bad, change } of steps) {
    if (open) await move(trx, open, { bad, change, nowMs })
  }
  return fresh.length > Math.max(0, room)
}

type Moved = { bad: Bad | null; change: Change; nowMs: number }

async function move(trx: Unit['trx'], open: AlertRow, { bad, change, nowMs }: Moved) {
  const said = bad ? { value: bad.value, message: bad.message, subject_name: bad.subject.name } : {}
  switch (change.to) {
    case 'same':
      return await updateAlert(trx, open.id, said)
    case 'dropped':
      return await deleteAlert(trx, open.id)
    case 'firing':
      return await updateAlert(trx, open.id, {
        ...said,
        ...{ state: 'firing', firing_at_ms: nowMs, is_untold: 1 },
      })
    case 'noted':
      return await updateAlert(trx, open.id, {
        ...said,
        clear_since_ms: change.clearSinceMs,
        is_without_data: change.isWithoutData ? 1 : 0,
      })
    case 'resolved':
      return await updateAlert(trx, open.id, {
        state: 'resolved',
        resolved_at_ms: nowMs,
        resolved_because: change.because,
        is_without_data: 0,
        // Who was not told that it fires is not told that it is over.
        is_untold: open.firing_told_at_ms === null ? 0 : 1,
      })
  }
}

const newAlert = (
  rule: AlertRuleRow,
  { subject, value, message }: Bad,
  isFiring: boolean,
  nowMs: number,
): AlertRow => ({
  id: newId('alert'),
  rule_id: rule.id,
  rule_name: rule.name,
  severity: rule.severity,
  subject_kind: subject.kind,
  subject_id: subject.id,
  subject_name: subject.name,
  node_id: subject.nodeId,
  state: isFiring ? 'firing' : 'pending',
  value,
  message,
  pending_at_ms: nowMs,
  firing_at_ms: isFiring ? nowMs : null,
  clear_since_ms: null,
  resolved_at_ms: null,
  resolved_because: null,
  is_without_data: 0,
  firing_told_at_ms: null,
  resolved_told_at_ms: null,
  is_untold: isFiring ? 1 : 0,
  acknowledged_at_ms: null,
  acknowledged_by: null,
  comment: '',
})

/** After which to go on; null: that was all. */
async function tellSome(
  unit: Unit,
  { ruleId, after }: { ruleId: string; after: string },
  silencedUntil: SilencedUntil,
  nowMs: number,
): Promise<string | null> {
  const rows = await untoldAlerts(unit.trx, ruleId, { after, limit: ROWS_AT_ONCE })
  const ready: { row: AlertRow; fired: number }[] = []
  for (const row of rows) {
    if (row.state === 'resolved') ready.push({ row, fired: 1 })
    else if (silencedUntil(row) === null) {
      const { fired, told } = await lately(unit.trx, row, nowMs)
      if (told < TOLD_IN_AN_HOUR) ready.push({ row, fired })
    }
  }
  if (ready.length > 0) {
    await unit.emitAll(
      ready.length > TOLD_SINGLY ? [many(ready.map(({ row }) => row))] : ready.map(single),
    )
    const ids = ready.map(({ row }) => row.id)
    await markTold(unit.trx, ids, nowMs)
  }
  return rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.id ?? null)
}

function single({ row, fired }: { row: AlertRow; fired: number }): NewEvent {
  const data = {
    ...ruleIn(row),
    ...{ subject: subjectOf(row), value: row.value, message: row.message },
    since: iso(row.firing_at_ms ?? row.pending_at_ms),
    ...(fired > 1 && { firedInLastHour: fired }),
    ...(row.resolved_because && { because: row.resolved_because }),
  }
  return { kind: 'alert', id: row.id, action: row.state, data }
}

/** '*': of many, as elsewhere among the events. */
function many(rows: readonly AlertRow[]): NewEvent {
  const inState = (state: AlertRow['state']) => rows.filter((row) => row.state === state)
  const data = {
    ...ruleIn(rows[0] as AlertRow),
    firing: inState('firing').length,
    resolved: inState('resolved').length,
    first: rows.slice(0, TOLD_SINGLY).map(subjectOf),
  }
  return { kind: 'alert', id: '*', action: 'many', data }
}

const ruleIn = ({ rule_id: id, rule_name: name, severity }: AlertRow) => ({
  rule: { id, name },
  severity,
})
const iso = (ms: number) => new Date(ms).toISOString()
