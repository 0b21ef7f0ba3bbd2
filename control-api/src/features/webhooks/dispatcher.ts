// SPDX-License-Identifier: MIT
// Brings events to webhooks: each has its place in the events and goes on from there, one event at a
// time, in order, until it is taken or was tried often enough. What was committed is delivered at least once, also after a crash.
import type { Kysely } from 'kysely'
import type { EventLog, StoredEvent } from '../../audit/log.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { Database } from '../../db/database.ts'
import type { SmtpConfig } from '../../environment/smtp.ts'
import { MAILTO } from './mail.ts'
import {
  backOffMs,
  headersOf,
  isGivenUp,
  isPassedOver,
  type Message,
  matchesEvent,
  messageOf,
} from './rules.ts'
import { NOT_AGAIN, type Outcome, send, TIMEOUT_MS } from './send.ts'
import { sendMail } from './send-mail.ts'
import { enabledIds, findWebhook, insertDelivery, updateWebhook, type WebhookRow } from './store.ts'
import type { Guard } from './targets.ts'

export type DispatcherOptions = {
  /** How long to wait after so many failed attempts. */
  backOffMs?: (attempts: number) => number
  timeoutMs?: number
}
type Deps = DispatcherOptions & {
  db: Kysely<Database>
  write: Write
  now: () => number
  events: Pick<EventLog, 'subscribe' | 'after'>
  box: SecretBox
  guard: Guard
  controlPlaneId: string
  userAgent: string
  /** null: nothing is told by mail. */
  smtp: SmtpConfig | null
  /** In each mail: which farm it is. */
  farm: string
  onError: (error: unknown) => void
}
export type Dispatcher = ReturnType<typeof createDispatcher>

const AT_A_TIME = 8
const BATCH = 500
/** A place that moved on without a delivery is written down this often: it is read over again otherwise. */
const SKIPPED_MAX = 5000
/** After a failure of our own, such as a full disk. */
const AGAIN_AFTER_MS = 5000

/** A day, as Retry-After may ask for, and what clocks differ. */
const MAX_WAIT_MS = 25 * 3600_000

type Step = 'more' | 'idle' | { waitMs: number }

export function createDispatcher(deps: Deps) {
  const { db, write, now, events, controlPlaneId } = deps
  const stopping = new AbortController()
  const ready = new Set<string>()
  const busy = new Map<string, Promise<void>>()
  const waiting = new Map<string, NodeJS.Timeout>()
  /** Whose wait has just ended, by this process’s own time: the wall clock may stand or jump. */
  const waitedOut = new Set<string>()
  /** Read so far without a match. */
  const skipped = new Map<string, number>()

  const secretsOf = ({ id, secret, old_secret, old_secret_until_ms }: WebhookRow): string[] => {
    const isOldGood = old_secret !== null && (old_secret_until_ms ?? 0) > now()
    return [secret, ...(isOldGood ? [old_secret] : [])].map((sealed) =>
      deps.box.open(sealed, purposeOf(id)),
    )
  }

  const deliver = (webhook: WebhookRow, message: Message): Promise<Outcome> => {
    const { url } = webhook
    const within = { signal: stopping.signal, timeoutMs: deps.timeoutMs ?? TIMEOUT_MS }
    if (url.startsWith(MAILTO)) {
      const { smtp, farm } = deps
      return sendMail({ smtp, farm, to: url.slice(MAILTO.length), message, ...within })
    }
    const signed = headersOf(message, secretsOf(webhook), now())
    return send({
      ...{ url, body: message.body, guard: deps.guard, ...within },
      headers: { 'user-agent': deps.userAgent, ...signed },
    })
  }

  const nextFor = async ({ id, last_event_id, events: json }: WebhookRow) => {
    const patterns: string[] = JSON.parse(json)
    let place = Math.max(last_event_id, skipped.get(id) ?? 0)
    let kept = last_event_id
    while (!stopping.signal.aborted) {
      const batch = await events.after(place, BATCH)
      const found = batch.find(({ event }) =>
        matchesEvent(patterns, `${event.kind}.${event.action}`),
      )
      if (found) return found
      place = batch.at(-1)?.id ?? place
      skipped.set(id, place)
      if (place - kept > SKIPPED_MAX) {
        await keepPlace(id, place)
        kept = place
      }
      if (batch.length < BATCH) break
    }
    return null
  }

  const keepPlace = (id: string, place: number) =>
    write(async (unit) => {
      const current = await findWebhook(unit.trx, id)
      if (current && current.last_event_id < place) {
        await updateWebhook(unit, id, { last_event_id: place })
      }
    })

  const step = async (id: string): Promise<Step> => {
    const webhook = await findWebhook(db, id)
    if (!webhook || webhook.disabled_at_ms !== null) return 'idle'
    const hasWaited = waitedOut.delete(id)
    const leftMs = (webhook.next_attempt_at_ms ?? 0) - now()
    // Farther off than any wait we set: the clock was put back.
    if (!hasWaited && leftMs > 0 && leftMs <= MAX_WAIT_MS) return { waitMs: leftMs }
    const event = await nextFor(webhook)
    if (!event) return 'idle'
    const message = messageOf(controlPlaneId, event)
    const outcome = await deliver(webhook, message)
    // Cut off by our own stop: not their failure, and told again at the next start.
    if (stopping.signal.aborted) return 'idle'
    return await write((unit) => settle(unit, id, { event, message, outcome }))
  }

  type Settled = { event: StoredEvent; message: Message; outcome: Outcome }

  const settle = async (unit: Unit, id: string, { event, message, outcome }: Settled) => {
    const webhook = await findWebhook(unit.trx, id)
    if (!webhook) return 'idle'
    const attempts = webhook.attempts + 1
    const { verdict } = outcome
    const failingSinceMs = webhook.failing_since_ms ?? now()
    const givenUp = verdict === 'again' && isGivenUp(attempts, now() - failingSinceMs)
    const passedOver = verdict === 'again' && !givenUp && isPassedOver(attempts, outcome.status)
    const error = passedOver
      ? `${outcome.error}; tried ${attempts} times: ${NOT_AGAIN}`
      : outcome.error
    const delivery = { webhookId: id, message, outcome: { ...outcome, error }, attempt: attempts }
    await insertDelivery(unit, delivery, now())
    // Meanwhile it was told to begin further on.
    if (webhook.last_event_id >= event.id) return 'more'
    if (verdict === 'delivered') {
      await updateWebhook(unit, id, { last_event_id: event.id, ...NO_FAILURE })
      return 'more'
    }
    if (verdict === 'gone') {
      await updateWebhook(unit, id, { attempts, last_error: error })
      await disable(unit, webhook, 'It answered 410: it wants to hear no more.')
      return 'idle'
    }
    if (verdict === 'passed' || passedOver) {
      // One that they will never take must not hold the others back. Who failed is failing still.
      await updateWebhook(unit, id, {
        last_event_id: event.id,
        attempts: 0,
        failing_since_ms: passedOver ? failingSinceMs : null,
        next_attempt_at_ms: null,
        last_error: error,
      })
      return 'more'
    }
    const backOff = (deps.backOffMs ?? backOffMs)(attempts)
    const waitMs = Math.max(backOff, outcome.retryAfterMs ?? 0)
    await updateWebhook(unit, id, {
      attempts,
      failing_since_ms: failingSinceMs,
      next_attempt_at_ms: now() + waitMs,
      last_error: error,
    })
    if (givenUp) {
      const reason = `Every attempt failed for three days; at last: ${error}`
      await disable(unit, webhook, reason)
    }
    return { waitMs }
  }

  const disable = async (unit: Unit, { id, url }: WebhookRow, reason: string) => {
    await updateWebhook(unit, id, { disabled_at_ms: now(), disabled_reason: reason })
    await unit.emit({ kind: 'webhook', id, action: 'disabled', data: { url, reason } })
  }

  const run = async (id: string): Promise<void> => {
    const done: Step = await step(id).catch((error: unknown) => {
      if (!stopping.signal.aborted) deps.onError(error)
      return { waitMs: AGAIN_AFTER_MS }
    })
    if (done === 'more') ready.add(id)
    if (typeof done === 'object') waitFor(id, done.waitMs)
  }

  const waitFor = (id: string, waitMs: number) => {
    // It may have been woken meanwhile; that must not cut the wait short.
    ready.delete(id)
    if (stopping.signal.aborted) return
    const again = () => {
      waiting.delete(id)
      waitedOut.add(id)
      ready.add(id)
      fill()
    }
    waiting.set(id, setTimeout(again, waitMs).unref())
  }

  const fill = (): void => {
    for (const id of ready) {
      if (busy.size >= AT_A_TIME || stopping.signal.aborted) return
      if (busy.has(id)) continue
      ready.delete(id)
      const running = run(id).finally(() => {
        busy.delete(id)
        fill()
      })
      busy.set(id, running)
    }
  }

  /** Looks who has something to be told. Who waits after a failure goes on waiting. */
  const look = async (): Promise<void> => {
    for (const id of await enabledIds(db)) if (!waiting.has(id)) ready.add(id)
    fill()
  }
  let looking: NodeJS.Immediate | null = null
  const wake = () => {
    // Of a hundred events at once the first one wakes.
    looking ??= setImmediate(() => {
      looking = null
      if (!stopping.signal.aborted) look().catch(deps.onError)
    })
  }
  const unsubscribe = events.subscribe(wake)
  wake()

  return {
    deliver,
    /** It was changed: what it waits for may be over. */
    changed(id: string): void {
      clearTimeout(waiting.get(id))
      waiting.delete(id)
      skipped.delete(id)
      wake()
    },
    async close(): Promise<void> {
      unsubscribe()
      stopping.abort()
      if (looking) clearImmediate(looking)
      for (const timer of waiting.values()) clearTimeout(timer)
      await Promise.all(busy.values())
    },
  }
}

export const NO_FAILURE = {
  attempts: 0,
  failing_since_ms: null,
  last_error: null,
  next_attempt_at_ms: null,
}
export const purposeOf = (webhookId: string) => `webhook:${webhookId}`
