// SPDX-License-Identifier: MIT
// A managed certificate without an open order: when it is renewed, what is left to roll out, and the order once it is time.
import { newId } from '../../base/ids.ts'
import { covers } from '../../certificates/names.ts'
import { type Latest, latestOf } from '../../certificates/store.ts'
import type { Reader } from '../../db/database.ts'
import { AuthorityFailure } from '../authority.ts'
import { type AuthorityRow, findAuthority } from '../authority-store.ts'
import { chooseAuthority, NO_HOLD } from '../decisions.ts'
import { newKeyAndRequest } from '../keys.ts'
import {
  findManaged,
  holdsOf,
  isDue,
  type ManagedRow,
  NEVER_MS,
  noteManaged,
  postponeManaged,
  type RollOutLeft,
} from '../managed-store.ts'
import { insertOrder, openByAuthority, openOrderFor, sealOrderKey } from '../order-store.ts'
import { nextLookMs, renewalMs, spreadRenewalMs } from '../rules.ts'
import type { Context } from './context.ts'
import { authoritiesOf, holdOf } from './failures.ts'

type Columns = Parameters<typeof noteManaged>[2]

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
/** Open at one authority; others wait their turn. An order waits for others' nodes and zones most of its time. */
const OPEN_MAX = 32
const TURN_MS = { least: 15 * SECOND_MS, spread: 30 * SECOND_MS }

/** When it is looked at again. */
export async function lookAt(ctx: Context, managed: ManagedRow): Promise<number> {
  const latest = (await latestOf(ctx.db, [managed.name])).get(managed.name) ?? null
  const adopted = await note(ctx, managed, timesOf(ctx, managed, latest))
  const looked = await note(ctx, adopted, await askWindow(ctx, adopted, latest))
  const rolledOut = await note(ctx, looked, await rollOut(ctx, looked, latest))
  if (rolledOut.paused === 0 && isDue(rolledOut, ctx.now())) return await begin(ctx, rolledOut)
  const nextAtMs = nextOf(rolledOut)
  await ctx.write((unit) => postponeManaged(unit, rolledOut, nextAtMs))
  return nextAtMs
}

async function note(
  { write }: Context,
  managed: ManagedRow,
  columns: Columns | null,
): Promise<ManagedRow> {
  if (columns === null) return managed
  await write((unit) => noteManaged(unit, managed.name, columns))
  return { ...managed, ...columns }
}

function nextOf({ paused, renew_at_ms, window_look_at_ms, roll_out_left }: ManagedRow): number {
  const left: RollOutLeft | null = roll_out_left && JSON.parse(roll_out_left)
  const times = paused === 1 ? [] : [renew_at_ms, window_look_at_ms]
  return Math.min(...[...times, left?.atMs].map((ms) => ms ?? NEVER_MS))
}

/** Somebody uploaded a version, or all are gone: the times are of the newest there is. */
function timesOf(ctx: Context, managed: ManagedRow, latest: Latest | null): Columns | null {
  if (latest === null) {
    if (managed.version === null && managed.renew_at_ms === null) return null
    return { version: null, issued_by: null, renewal_id: null, renew_at_ms: null, ...NO_WINDOW }
  }
  const isNewer = latest.number !== managed.version
  const random = isNewer ? ctx.random() : managed.random
  const renewAtMs = isNewer ? spreadRenewalMs(latest, random) : managed.renew_at_ms
  // It does not wait for the end of what is not good for all names.
  const names: string[] = JSON.parse(managed.names)
  const isShort = names.some((name) => !covers(latest.names, name))
  const isAtOnce = isShort && (renewAtMs === null || renewAtMs > ctx.now())
  if (!isNewer) return isAtOnce ? { renew_at_ms: ctx.now() } : null
  return {
    ...{ version: latest.number, issued_by: null, renewal_id: null, random },
    renew_at_ms: isAtOnce ? ctx.now() : renewAtMs,
    ...NO_WINDOW,
  }
}
const NO_WINDOW = { renewal_window: null, window_look_at_ms: null }

/** When the CA that signed it suggests to renew it (RFC 9773). One that does not answer changes nothing. */
async function askWindow(
  ctx: Context,
  managed: ManagedRow,
  latest: Latest | null,
): Promise<Columns | null> {
  const { window_look_at_ms: lookAtMs, issued_by, renewal_id, random } = managed
  const nowMs = ctx.now()
  if (managed.paused === 1 || lookAtMs === null || lookAtMs > nowMs) return null
  // None of an authority's, or one that does not say whose key signed it.
  if (issued_by === null || renewal_id === null || latest === null) return NO_WINDOW
  const authority = await findAuthority(ctx.db, issued_by)
  if (!authority) return { ...NO_WINDOW, renew_at_ms: renewalMs(latest, null, random) }
  try {
    const info = await ctx.clientFor(authority).renewalInfo(renewal_id)
    const { startMs, endMs, explanationUrl } = info ?? {}
    const window = info && JSON.stringify({ startMs, endMs, explanationUrl })
    return {
      renewal_window: window,
      window_look_at_ms: nowMs + (info ? nextLookMs(info.retryAfterMs) : DAY_MS),
      ...(isDue(managed, nowMs) ? {} : { renew_at_ms: renewalMs(latest, info, random) }),
    }
  } catch (error) {
    if (!(error instanceof AuthorityFailure)) throw error
    return { window_look_at_ms: nowMs + nextLookMs(error.retryAfterMs) }
  }
}

/** What was refused is told once, and tried again each hour while it is the newest version. */
async function rollOut(
  ctx: Context,
  managed: ManagedRow,
  latest: Latest | null,
): Promise<Columns | null> {
  const { name } = managed
  const left: RollOutLeft | null = managed.roll_out_left && JSON.parse(managed.roll_out_left)
  const nowMs = ctx.now()
  if (left === null || left.atMs > nowMs) return null
  if (left.version !== latest?.number) return { roll_out_left: null }
  const begun = await ctx.rollOut({ name, latest: left.version }, left.configs)
  const refused = begun.flatMap(({ config, refused: why }) =>
    why === null ? [] : [{ config, why }],
  )
  if (refused.length === 0) {
    return {
      roll_out_left: null,
      ...(left.configs && { last_error: null, last_error_at_ms: null }),
    }
  }
  const configs = [...new Set(refused.map(({ config }) => config))]
  const again: RollOutLeft = { atMs: nowMs + HOUR_MS, version: left.version, configs }
  const [first] = refused
  const error = `Version ${left.version} could not be rolled out with the config "${first?.config}": ${first?.why}`
  if (left.configs === null) {
    const data = { version: left.version, refused }
    await ctx.write((unit) =>
      unit.emit({ kind: 'certificate', id: name, action: 'roll-out-refused', data }),
    )
  }
  return { roll_out_left: JSON.stringify(again), last_error: error, last_error_at_ms: nowMs }
}

/** The first authority that may be asked gets the order. */
async function begin(ctx: Context, managed: ManagedRow): Promise<number> {
  const nowMs = ctx.now()
  const wait = async (untilMs: number) => {
    await ctx.write((unit) => postponeManaged(unit, managed, untilMs))
    return untilMs
  }
  const inTurn = () => wait(nowMs + TURN_MS.least + Math.round(TURN_MS.spread * ctx.random()))

  const rows = await authorityRows(ctx, managed)
  if (rows.size === 0) {
    const error = 'None of its certificate authorities is there any more: name others'
    const untold =
      managed.last_error === error ? null : { last_error: error, last_error_at_ms: nowMs }
    await note(ctx, managed, untold)
    return await wait(nowMs + HOUR_MS)
  }
  const holds = holdsOf(managed)
  const candidates = [...rows.values()].map((row) => ({
    name: row.name,
    authority: holdOf(row),
    own: holds[row.name] ?? NO_HOLD,
  }))
  const choice = chooseAuthority(candidates, nowMs)
  if ('waitUntilMs' in choice) return await wait(choice.waitUntilMs)
  const authority = rows.get(choice.authority)
  if (!authority || !(await hasRoom(ctx.db, choice.authority))) return await inTurn()
  const isBegun = await order(ctx, managed, authority)
  return isBegun ? nowMs : await inTurn()
}

async function authorityRows({ db }: Context, managed: ManagedRow) {
  const rows = new Map<string, AuthorityRow>()
  for (const { name } of authoritiesOf(managed)) {
    const row = await findAuthority(db, name)
    if (row) rows.set(name, row)
  }
  return rows
}

const hasRoom = async (db: Reader, authority: string) =>
  ((await openByAuthority(db)).get(authority) ?? 0) < OPEN_MAX

/** Key and request are kept before anybody is asked. False: another order has one of its names, it was changed, or it is not its turn. */
async function order(ctx: Context, managed: ManagedRow, { name: authority }: AuthorityRow) {
  const { name: certificate, names, issued_by, renewal_id, asked_by } = managed
  const hosts: string[] = JSON.parse(names)
  const { keyPem, csr } = await newKeyAndRequest(managed.key_type, hosts)
  const id = newId('order')
  const nowMs = ctx.now()
  const chosen = authoritiesOf(managed).find((one) => one.name === authority)
  const profile = chosen?.profile ?? null
  return await ctx.write(async (unit) => {
    const current = await findManaged(unit.trx, certificate)
    const isSame = current?.revision === managed.revision && current.paused === 0
    if (!isSame || (await openOrderFor(unit.trx, hosts, certificate)) !== null) return false
    // Others began while the key was made.
    if (!(await hasRoom(unit.trx, authority))) return false
    await insertOrder(unit, {
      ...{ id, certificate, authority, profile, names, state: 'new' },
      challenge: managed.challenge,
      dns_webhook: managed.dns_webhook,
      preferred_chain: managed.preferred_chain,
      key: sealOrderKey(ctx.box, id, keyPem),
      csr: Buffer.from(csr).toString('base64url'),
      replaces: issued_by === authority ? renewal_id : null,
      order_url: null,
      expires_at_ms: null,
      challenges: '[]',
      failures: 0,
      waiting_for: null,
      last_error: null,
      version: null,
      started_at_ms: nowMs,
      started_by: asked_by ?? 'renewal',
      ended_at_ms: null,
      cleaned_up: 0,
    })
    await noteManaged(unit, certificate, { next_action_at_ms: nowMs })
    const data = { orderId: id, authority, profile, names: hosts }
    const actor = asked_by === null ? {} : { actor: asked_by }
    await unit.emit({ kind: 'certificate', id: certificate, action: 'ordered', ...actor, data })
    return true
  })
}
