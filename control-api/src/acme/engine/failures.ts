// SPDX-License-Identifier: MIT
// Writes down what decisions.ts makes of a failure: how long the authority and the name are left alone, and whether the order
// goes on.
import type { Unit } from '../../audit/write.ts'
import type { AuthorityFailure } from '../authority.ts'
import { type AuthorityRow, findAuthority, updateAuthority } from '../authority-store.ts'
import { type Hold, NO_HOLD, type Reaction, react } from '../decisions.ts'
import {
  type ChosenAuthority,
  holdsOf,
  type ManagedRow,
  noteManaged,
  type OwnHold,
} from '../managed-store.ts'
import { endOrder, type OrderRow, updateOpenOrder } from '../order-store.ts'
import type { Context, Work } from './context.ts'

export type Failure = Pick<AuthorityFailure, 'kind' | 'retryAfterMs' | 'message'>

export const holdOf = ({ held_until_ms, failures }: AuthorityRow): Hold => ({
  untilMs: held_until_ms,
  failures,
})
export const authoritiesOf = ({ authorities }: Pick<ManagedRow, 'authorities'>) =>
  JSON.parse(authorities) as ChosenAuthority[]

/** When the certificate is looked at again. */
export async function noteFailure(ctx: Context, work: Work, failure: Failure): Promise<number> {
  const { managed, order, authority } = work
  const nowMs = ctx.now()
  const holds = holdsOf(managed)
  const isMade = order.order_url !== null
  const reaction = react({
    ...{ failure, isMade, nowMs, random: ctx.random() },
    expiresAtMs: order.expires_at_ms,
    authority: holdOf(authority),
    own: holds[authority.name] ?? NO_HOLD,
    hasOther: await hasOther(ctx, managed, authority.name),
  })
  // Of an account that is gone there is no order to go on with.
  const isOver = reaction.order === 'over' || (failure.kind === 'no-account' && isMade)
  const nextAtMs = isOver ? nowMs : reaction.atMs
  await ctx.write(async (unit) => {
    await noteAuthority(unit, authority, reaction, failure)
    const own: OwnHold = { ...reaction.own, saidUntilMs: nowMs + (failure.retryAfterMs ?? 0) }
    const isHeld = own.untilMs > 0 || own.saidUntilMs > nowMs
    const isOpen = isOver ? await end(unit, work, failure, nowMs) : await goOn(unit, order, failure)
    if (!isOpen) return
    await noteManaged(unit, managed.name, {
      // Nor do later orders say what they replace.
      ...(failure.kind === 'replaced' && { renewal_id: null }),
      ...(isHeld && { holds: JSON.stringify({ ...holds, [authority.name]: own }) }),
      next_action_at_ms: nextAtMs,
    })
  })
  if (isOver) ctx.onEnded('failed')
  return nextAtMs
}

async function hasOther({ db, now }: Context, managed: ManagedRow, name: string): Promise<boolean> {
  const holds = holdsOf(managed)
  for (const other of authoritiesOf(managed)) {
    if (other.name === name) continue
    const row = await findAuthority(db, other.name)
    if (!row) continue
    const untilMs = Math.max(row.held_until_ms, holds[other.name]?.untilMs ?? 0)
    if (untilMs <= now()) return true
  }
  return false
}

/** A name that it will not certify says nothing of the CA; that there is no account with it does. */
async function noteAuthority(
  unit: Unit,
  authority: AuthorityRow,
  { authority: held }: Reaction,
  { kind, message }: Failure,
): Promise<void> {
  const isOfCa = kind === 'away' || kind === 'rate-limited' || kind === 'no-account'
  if (!isOfCa && authority.account_url !== null) return
  await updateAuthority(unit, authority.name, {
    held_until_ms: held.untilMs,
    failures: held.failures,
    last_error: message,
    ...(kind === 'no-account' && { account_url: null }),
  })
}

/** Both: false, when somebody has given it up meanwhile. */
async function goOn(unit: Unit, order: OrderRow, { kind, message }: Failure): Promise<boolean> {
  return await updateOpenOrder(unit, order.id, {
    failures: order.failures + 1,
    last_error: message,
    ...(kind === 'replaced' && { replaces: null }),
  })
}

async function end(unit: Unit, work: Work, { message }: Failure, nowMs: number): Promise<boolean> {
  const { managed, order, authority } = work
  const ending = { state: 'failed', ended_at_ms: nowMs, last_error: message } as const
  if (!(await endOrder(unit, order.id, ending))) return false
  await noteManaged(unit, managed.name, { last_error: message, last_error_at_ms: nowMs })
  const data = {
    ...{ orderId: order.id, authority: authority.name, names: JSON.parse(order.names) },
    error: message,
  }
  await unit.emit({ kind: 'certificate', id: managed.name, action: 'order-failed', data })
  return true
}
