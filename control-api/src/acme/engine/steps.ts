// SPDX-License-Identifier: MIT
// One step of an order that is open. What it is about to do is written down first, and each step may be made again: a start
// goes on with the state that was written last, and the CA says how the order stands.
import { AppError } from '../../api-shapes/errors.ts'
import { findCertificate, versionOfOrder } from '../../certificates/store.ts'
import { AuthorityFailure, type Authorization, type Order } from '../authority.ts'
import { updateAuthority } from '../authority-store.ts'
import type { Publication } from '../challenges.ts'
import { stepFor } from '../decisions.ts'
import { checkIssued, type Issued } from '../keys.ts'
import { noteManaged, type RollOutLeft } from '../managed-store.ts'
import {
  endOrder,
  type KeptChallenge,
  type OrderRow,
  openOrderKey,
  updateOpenOrder,
  type WaitingFor,
} from '../order-store.ts'
import { spreadRenewalMs } from '../rules.ts'
import { type Context, pollMs, type Work } from './context.ts'

/** When the next step is; null: it was given up meanwhile. */
type Next = Promise<number | null>

const DAY_MS = 24 * 3600_000
/** Of an order whose CA does not say when it forgets it. */
const LONGEST_MS = 7 * DAY_MS
const NODES_NAMED = 20

// new         → makeOrder: the CA has the order
// publishing  → readChallenges, then publish: everybody shows what proves the names
// validating  → validate: the CA was told to look, and is asked what it saw
// finalizing  → finalize: the CA has the request, and is asked for the certificate
// downloading → download: the certificate is checked and kept
export function takeStep(ctx: Context, work: Work): Next {
  const { order } = work
  refuseExpired(ctx, order)
  switch (order.state) {
    case 'new':
      return makeOrder(ctx, work)
    case 'publishing':
      return order.challenges === '[]' ? readChallenges(ctx, work) : publish(ctx, work)
    case 'validating':
      return validate(ctx, work)
    case 'finalizing':
      return finalize(ctx, work)
    default:
      return download(ctx, work)
  }
}

function refuseExpired({ now }: Context, order: OrderRow): void {
  const endMs = order.expires_at_ms ?? order.started_at_ms + LONGEST_MS
  if (order.order_url === null || endMs > now()) return
  const waiting: WaitingFor | null = order.waiting_for && JSON.parse(order.waiting_for)
  const why = order.last_error ?? waiting?.reason
  throw new AuthorityFailure(
    'refused',
    `The CA's time for the order was over before it was done${why ? `. Last: ${why}` : ''}`,
  )
}

type Columns = Partial<Omit<OrderRow, 'id'>>

/** What was heard of the CA is not of an authority that is away. */
async function keep(ctx: Context, work: Work, columns: Columns, nextAtMs: number): Next {
  const { managed, order, authority } = work
  return await ctx.write(async (unit) => {
    if (!(await updateOpenOrder(unit, order.id, columns))) return null
    await noteManaged(unit, managed.name, { next_action_at_ms: nextAtMs })
    if (authority.failures > 0 || authority.last_error !== null) {
      await updateAuthority(unit, authority.name, { failures: 0, last_error: null })
    }
    return nextAtMs
  })
}

/** What the CA says of the order decides what is done next. */
async function follow(ctx: Context, work: Work, made: Order, columns: Columns = {}): Next {
  const state = stepFor(made.status, isTold(work.order))
  if (state === 'failed') throw await refusalOf(work, made)
  return await keep(ctx, work, { ...columns, state, last_error: null }, ctx.now())
}

async function makeOrder(ctx: Context, work: Work): Next {
  const account = work.authority.account_url ?? (await register(ctx, work))
  const made = await askForOrder(work, account)
  return await follow(ctx, work, made, { order_url: made.url, expires_at_ms: made.expiresAtMs })
}

/** A CA may not take what it replaces: other names, another account's. That is never to be in the way of the order. */
async function askForOrder({ order, ca }: Work, account: string): Promise<Order> {
  const { profile, replaces } = order
  try {
    return await ca.newOrder(account, { names: JSON.parse(order.names), profile, replaces })
  } catch (error) {
    const isRefused = error instanceof AuthorityFailure && error.kind === 'refused'
    if (!isRefused || replaces === null) throw error
    throw new AuthorityFailure('replaced', error.message)
  }
}

async function register(ctx: Context, { authority, ca }: Work): Promise<string> {
  const account = await ca.register()
  await ctx.write((unit) => updateAuthority(unit, authority.name, { account_url: account }))
  return account
}

/** Of an order that was made, so that there is an account. */
function placeOf({ order, authority }: Work): { account: string; url: string } {
  if (authority.account_url !== null && order.order_url !== null) {
    return { account: authority.account_url, url: order.order_url }
  }
  throw new AuthorityFailure('no-account', 'The account that the order was made with is gone')
}

async function readChallenges(ctx: Context, work: Work): Next {
  const { order, ca } = work
  const { account, url } = placeOf(work)
  const made = await ca.order(account, url)
  if (made.status !== 'pending') return await follow(ctx, work, made)
  const challenges: KeptChallenge[] = []
  for (const authorizationUrl of made.authorizations) {
    const authorization = await ca.authorization(account, authorizationUrl)
    if (authorization.status !== 'pending') continue
    const { token, url: challengeUrl } = challengeOf(order, authorization)
    const keyAuthorization = await ca.keyAuthorization(order.challenge, token)
    const { host } = authorization
    const live = { type: order.challenge, host, token, keyAuthorization }
    challenges.push({ ...live, url: challengeUrl, isTold: false })
  }
  // All were proven before; the CA has still to say so of the order.
  const state = challenges.length > 0 ? 'publishing' : 'validating'
  return await keep(ctx, work, { state, challenges: JSON.stringify(challenges) }, ctx.now())
}

function challengeOf({ challenge }: OrderRow, { host, challenges }: Authorization) {
  const found = challenges.find(({ type }) => type === challenge)
  if (found) return found
  const offered = challenges.map(({ type }) => type).join(', ') || 'nothing'
  throw new AuthorityFailure(
    'refused',
    `For ${host} the CA takes ${offered}, and not ${challenge}: choose another challenge`,
  )
}

const challengesOf = ({ challenges }: OrderRow): KeptChallenge[] => JSON.parse(challenges)
const isTold = (order: OrderRow) => challengesOf(order).some((one) => one.isTold)

async function publish(ctx: Context, work: Work): Next {
  const { order } = work
  const publication = await publishAll(ctx, order)
  if (!publication.ready) {
    const waiting = waitingFor(publication.reason, publication.waitingFor)
    return await keep(ctx, work, { waiting_for: waiting }, ctx.now() + publication.waitMs)
  }
  const { without } = publication
  const waiting =
    without.length === 0
      ? null
      : waitingFor('It went on without nodes that did not answer in time', without)
  return await keep(ctx, work, { state: 'validating', waiting_for: waiting }, ctx.now())
}

/** Again after a start as well: what nodes answer is in memory. */
export async function publishAll(ctx: Context, order: OrderRow): Promise<Publication> {
  const solver = order.dns_webhook === null ? ctx.http : await ctx.dns(order.dns_webhook)
  if (!solver) throw new AuthorityFailure('refused', 'The DNS webhook is gone: choose another one')
  return await solver.publish(order.id, challengesOf(order))
}

const waitingFor = (reason: string, nodeIds: readonly string[]): string =>
  JSON.stringify({
    reason,
    nodeIds: nodeIds.slice(0, NODES_NAMED),
    more: Math.max(0, nodeIds.length - NODES_NAMED),
  } satisfies WaitingFor)

async function validate(ctx: Context, work: Work): Next {
  const { order, ca } = work
  const { account, url } = placeOf(work)
  const challenges = challengesOf(order)
  const untold = challenges.filter((one) => !one.isTold)
  if (untold.length > 0) {
    for (const { url: challengeUrl } of untold) await tell(work, account, challengeUrl)
    const told = challenges.map((one) => ({ ...one, isTold: true }))
    const next = ctx.now() + pollMs(ctx, 0)
    return await keep(ctx, work, { challenges: JSON.stringify(told) }, next)
  }
  // What nodes answer is in memory: after a start, or very long, they are told again.
  if (order.dns_webhook === null) await publishAll(ctx, order)
  const made = await ca.order(account, url)
  if (made.status !== 'pending') return await follow(ctx, work, made)
  return await wait(ctx, work, made)
}

/** A CA that was told before a crash may refuse to be told again: what it saw, the order says. */
async function tell({ ca }: Work, account: string, url: string): Promise<void> {
  try {
    await ca.challengeReady(account, url)
  } catch (error) {
    if (!(error instanceof AuthorityFailure) || error.kind !== 'refused') throw error
  }
}

function wait(ctx: Context, work: Work, made: Order): Next {
  const ownMs = pollMs(ctx, ctx.now() - work.order.started_at_ms)
  const nextAtMs = ctx.now() + Math.max(ownMs, made.retryAfterMs ?? 0)
  return keep(ctx, work, { last_error: null }, nextAtMs)
}

async function finalize(ctx: Context, work: Work): Next {
  const { order, ca } = work
  const { account, url } = placeOf(work)
  const made = await ca.order(account, url)
  if (made.status === 'processing') return await wait(ctx, work, made)
  if (made.status !== 'ready') return await follow(ctx, work, made)
  const asked = await ca.finalize(account, made, Buffer.from(order.csr, 'base64url'))
  if (asked.status === 'processing' || asked.status === 'ready') return await wait(ctx, work, asked)
  return await follow(ctx, work, asked)
}

async function download(ctx: Context, work: Work): Next {
  const { order, ca } = work
  const { account, url } = placeOf(work)
  const made = await ca.order(account, url)
  if (made.status !== 'valid') return await follow(ctx, work, made)
  if (made.certificate === null) {
    throw new AuthorityFailure('away', 'The CA has made a certificate and does not say where it is')
  }
  const chain = await ca.download(account, made.certificate, order.preferred_chain)
  const key = openOrderKey(ctx.box, order)
  const issued = checkIssued(chain, key, JSON.parse(order.names), ctx.now())
  const version = await bring(ctx, order, { chain, key })
  return await finish(ctx, work, issued, version)
}

/** As the newest version of its certificate. Once: a crash after it finds it there. */
async function bring(
  { db, keeper }: Context,
  { id, certificate: name }: OrderRow,
  pem: { chain: string; key: string },
): Promise<number> {
  const there = await versionOfOrder(db, name, id)
  if (there !== null) return there
  const version = { name, ...pem, source: { kind: 'acme', orderId: id }, actor: 'acme' } as const
  const isKnown = (await findCertificate(db, name)) !== undefined
  try {
    const { number } = await (isKnown ? keeper.addVersion(version) : keeper.create(version))
    return number
  } catch (error) {
    // One certificate too many, or one that no node can serve: the order has come to its end.
    if (error instanceof AppError) throw new AuthorityFailure('refused', error.message)
    throw error
  }
}

async function finish(ctx: Context, work: Work, issued: Issued, version: number): Next {
  const { managed, order, authority } = work
  const { now, random } = ctx
  const nowMs = now()
  const drawn = random()
  const left: RollOutLeft = { atMs: nowMs, version, configs: null }
  const isFinished = await ctx.write(async (unit) => {
    const ending = { state: 'issued', ended_at_ms: nowMs, version, last_error: null } as const
    if (!(await endOrder(unit, order.id, ending))) return false
    await noteManaged(unit, managed.name, {
      asked_by: null,
      holds: '{}',
      version,
      issued_by: authority.name,
      renewal_id: issued.renewalId,
      random: drawn,
      renew_at_ms: spreadRenewalMs(issued, drawn),
      renewal_window: null,
      window_look_at_ms: nowMs,
      roll_out_left: managed.roll_out === 1 ? JSON.stringify(left) : null,
      next_action_at_ms: nowMs,
      last_error: null,
      last_error_at_ms: null,
    })
    const { profile } = order
    const names: string[] = JSON.parse(order.names)
    const notAfter = new Date(issued.notAfterMs).toISOString()
    const data = { orderId: order.id, authority: authority.name, profile, names, version, notAfter }
    await unit.emit({ kind: 'certificate', id: managed.name, action: 'issued', data })
    return true
  })
  if (isFinished) ctx.onEnded('issued')
  return isFinished ? nowMs : null
}

/** The CA says it of the names, or of the order. */
async function refusalOf({ order, authority, ca }: Work, made: Order): Promise<AuthorityFailure> {
  const reasons: string[] = made.error ? [made.error.detail || made.error.type] : []
  for (const url of authority.account_url === null ? [] : made.authorizations) {
    const { host, status, challenges } = await ca.authorization(authority.account_url ?? '', url)
    if (status !== 'invalid') continue
    const error = challenges.find((one) => one.type === order.challenge)?.error
    reasons.push(`${host}: ${error ? error.detail || error.type : 'was not proven'}`)
    if (reasons.length >= REASONS_MAX) break
  }
  const said = reasons.join('; ') || 'it gives no reason'
  return new AuthorityFailure('refused', `The CA has refused the order: ${said}`.slice(0, 1000))
}
const REASONS_MAX = 5
