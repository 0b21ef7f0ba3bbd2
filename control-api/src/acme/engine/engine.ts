// SPDX-License-Identifier: MIT
// Orders certificates and renews them. When something is next to be done is in managed_certificates; what an order is about to
// do is in certificate_orders. So a start goes on where the last one stood, however that ended.
import { AsyncLocalStorage } from 'node:async_hooks'
import { runAsService } from '../../audit/origin.ts'
import { nextTurn } from '../../base/slices.ts'
import { type About, AuthorityFailure } from '../authority.ts'
import { type AuthorityRow, findAuthority } from '../authority-store.ts'
import { createDnsWebhook, type Told } from '../dns-webhook.ts'
import {
  type DnsWebhookRow,
  findDnsWebhook,
  openDnsSecret,
  updateDnsWebhook,
} from '../dns-webhook-store.ts'
import type { ExchangeOptions } from '../exchange.ts'
import {
  dueManaged,
  findManaged,
  holdsOf,
  lookSoon,
  type ManagedRow,
  nextActionMs,
  noteManaged,
} from '../managed-store.ts'
import { endOrder, type OrderRow, openOrder, openOrders } from '../order-store.ts'
import { lookAt } from './begin.ts'
import { createCleaning } from './cleaning.ts'
import { createClients } from './clients.ts'
import type { Context } from './context.ts'
import { type Failure, noteFailure } from './failures.ts'
import { publishAll, takeStep } from './steps.ts'

/** What a CA's directory says of itself. */
export type AuthorityTest = About & {
  reachable: boolean
  /** null: it answered. */
  error: string | null
}
export type AcmeEngine = {
  /** Something was changed that it is to see: after the commit. With a name: that one is looked at. */
  wake(name?: string): void
  /** Asks the CA for its directory; nothing is written down. */
  testAuthority(authority: AuthorityRow): Promise<AuthorityTest>
  /** Does all whose time has come, and resolves once that is done. */
  look(): Promise<void>
  /** Since the start. */
  ended(): ReadonlyMap<'issued' | 'failed', number>
  stop(): Promise<void>
}

type Deps = Pick<
  Context,
  'db' | 'write' | 'now' | 'box' | 'keeper' | 'http' | 'rollOut' | 'soonestMs'
> &
  Pick<ExchangeOptions, 'guard' | 'userAgent'> & {
    /** Signs with the secret, and sends. */
    postDns(
      to: { url: string; secret: string },
      message: { id: string; body: string },
    ): Promise<Told>
    /** Restored and not confirmed, or no room on the disk: nothing is done then. */
    isHeld: () => boolean
    onError: (error: unknown) => void
    random?: () => number
  }

/** Steps that are under way at once, of all and of one authority. */
const AT_ONCE = 8
const AT_ONCE_OF_ONE = 4
const LOOK_EVERY_MS = 60_000
const SOONEST_MS = 200
/** After a fault of ours, so that it does not come in a circle. */
const FAULT_MS = 60_000

export function createAcmeEngine({ postDns, isHeld, onError, ...deps }: Deps): AcmeEngine {
  const stopping = new AbortController()
  const ended = new Map<'issued' | 'failed', number>()
  const { db, write, now, box, guard, userAgent } = deps
  const clientFor = createClients({ box, now, guard, userAgent, signal: stopping.signal })
  const ctx: Context = {
    random: Math.random,
    ...deps,
    clientFor,
    dns: async (name) => {
      const row = await findDnsWebhook(db, name)
      return row ? createDnsWebhook({ post: (message) => tellDns(row, message) }) : null
    },
    onEnded: (outcome) => ended.set(outcome, (ended.get(outcome) ?? 0) + 1),
  }
  const clean = createCleaning(ctx)

  async function tellDns(row: DnsWebhookRow, message: { id: string; body: string }): Promise<Told> {
    const to = { url: row.url, secret: openDnsSecret(box, row) }
    const told = await postDns(to, message)
    if (told.error !== row.last_error) {
      await write((unit) => updateDnsWebhook(unit, row.name, { last_error: told.error }))
    }
    return told
  }

  /** By certificate, what is under way, and whom it asks. */
  const running = new Map<string, { authority: string; done: Promise<void> }>()
  /** By certificate, when it is tried again after a fault. */
  const faults = new Map<string, number>()

  const busyAuthorities = (): string[] => {
    const all = Map.groupBy(running.values(), ({ authority }) => authority)
    return [...all].flatMap(([name, of]) => (of.length >= AT_ONCE_OF_ONE ? [name] : []))
  }

  /** Step after step, until one has to wait. */
  async function advance(name: string, authority: string): Promise<void> {
    for (;;) {
      if (stopping.signal.aborted || isHeld()) return
      const managed = await findManaged(db, name)
      if (!managed || managed.next_action_at_ms > now()) return
      const order = await openOrder(db, name)
      // Others may have their turn at that one first.
      if (order && order.authority !== authority) return
      const nextAtMs = order ? await goOn(managed, order) : await lookAt(ctx, managed)
      if (nextAtMs === null || nextAtMs > now()) return
    }
  }

  async function goOn(managed: ManagedRow, order: OrderRow): Promise<number | null> {
    const authority = await findAuthority(db, order.authority)
    if (!authority) {
      await write((unit) => endOrder(unit, order.id, { state: 'cancelled', ended_at_ms: now() }))
      return now()
    }
    // It was silent, or wants to be left alone with this one; a limit of the account is of new orders.
    const silentMs = authority.failures > 0 ? authority.held_until_ms : 0
    const untilMs = Math.max(silentMs, holdsOf(managed)[authority.name]?.saidUntilMs ?? 0)
    if (untilMs > now()) {
      await write((unit) => noteManaged(unit, managed.name, { next_action_at_ms: untilMs }))
      return untilMs
    }
    const work = { managed, order, authority, ca: clientFor(authority) }
    try {
      return await takeStep(ctx, work)
    } catch (error) {
      if (stopping.signal.aborted) return null
      return await noteFailure(ctx, work, failureOf(error))
    }
  }

  function begin(name: string, authority: string): void {
    const done = advance(name, authority)
      .catch((error: unknown) => {
        faults.set(name, now() + FAULT_MS)
        onError(error)
      })
      .finally(() => running.delete(name))
    running.set(name, { authority, done })
  }

  const inFault = (): string[] => {
    for (const [name, untilMs] of faults) if (untilMs <= now()) faults.delete(name)
    return [...faults.keys()]
  }

  /**
   * Begins all that may begin. `isIdle`: nobody was under way when it looked for the last time, so that all whose time had
   * come `atMs` have had their turn.
   */
  async function fill(): Promise<{ atMs: number; isIdle: boolean }> {
    for (;;) {
      const [atMs, busyWith] = [now(), [...running.keys()]]
      const looked = { atMs, isIdle: busyWith.length === 0 }
      if (stopping.signal.aborted || isHeld() || busyWith.length >= AT_ONCE) return looked
      const except = [...busyWith, ...inFault()]
      const wanted = { nowMs: atMs, limit: 1, except, busy: busyAuthorities() }
      const [next] = await dueManaged(db, wanted)
      if (!next) return looked
      begin(next.name, next.authority)
      // The database answers at once: a thousand that only wait their turn would hold up all else.
      await nextTurn()
    }
  }

  /** Returns as of when: whose time has come since then has not had its turn. */
  async function doAll(): Promise<number> {
    if (isHeld()) return now()
    await clean()
    for (;;) {
      const { atMs, isIdle } = await fill()
      if (isIdle) {
        await clean()
        return atMs
      }
      if (running.size > 0) await Promise.race([...running.values()].map(({ done }) => done))
    }
  }

  const apart = AsyncLocalStorage.snapshot()
  let timer: NodeJS.Timeout | undefined
  let again = false
  let doing: Promise<void> | null = null

  async function doAgain(): Promise<void> {
    await started
    let doneAsOfMs = now()
    while (again && !stopping.signal.aborted) {
      again = false
      doneAsOfMs = await doAll().catch((error: unknown) => {
        onError(error)
        return now()
      })
    }
    doing = null
    await setTimer(doneAsOfMs).catch(onError)
  }
  const look = (): Promise<void> => {
    again = true
    // Who wakes it, by a request, is not who does what it then does.
    doing ??= apart(() => runAsService(doAgain))
    return doing
  }
  /** Not as of now: a time that came while it looked would be taken for done, and wait for the longest look. */
  async function setTimer(doneAsOfMs: number): Promise<void> {
    const nextAtMs = await nextActionMs(db, doneAsOfMs)
    clearTimeout(timer)
    if (stopping.signal.aborted) return
    const waitMs = nextAtMs === null ? LOOK_EVERY_MS : nextAtMs - now()
    timer = setTimeout(() => void look(), Math.min(Math.max(waitMs, SOONEST_MS), LOOK_EVERY_MS))
    timer.unref()
  }

  /** A CA may be looking at this moment: nodes get the tokens again before anything else. */
  const started = (async () => {
    if (isHeld()) return
    for (const order of await openOrders(db)) {
      const isShown = order.dns_webhook === null && order.challenges !== '[]'
      if (isShown) await publishAll(ctx, order)
    }
  })().catch(onError)
  void look()

  return {
    wake(name) {
      if (name === undefined) return void look()
      write((unit) => lookSoon(unit, name, now()))
        .then(look)
        .catch(onError)
    },
    async testAuthority(row) {
      try {
        return { reachable: true, ...(await clientFor(row).about()), error: null }
      } catch (error) {
        return { reachable: false, ...NOTHING, error: failureOf(error).message }
      }
    },
    look,
    ended: () => ended,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await doing
    },
  }
}

const NOTHING: About = {
  profiles: [],
  termsOfService: null,
  website: null,
  externalAccountRequired: false,
}

function failureOf(error: unknown): Failure {
  if (error instanceof AuthorityFailure) return error
  throw error
}
