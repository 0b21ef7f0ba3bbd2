// SPDX-License-Identifier: MIT
// What a webhook is told, how it is signed (https://www.standardwebhooks.com), and when it is tried again.
import { createHmac, randomBytes } from 'node:crypto'
import type { StoredEvent } from '../../audit/log.ts'
import { deafTo, KINDS, type Kind, type Viewer } from '../../audit/visibility.ts'
import { BeyondYourEvents } from './errors.ts'

export type Message = {
  /** The same at every attempt, so that a receiver knows what it has had. */
  id: string
  eventId: number | null
  type: string
  body: string
}

export function matchesEvent(patterns: readonly string[], type: string): boolean {
  const [kind] = type.split('.', 1)
  return patterns.some((one) => one === '*' || one === kind || one === `${kind}.*` || one === type)
}

/** Of which kinds a webhook with these patterns is told. */
export const kindsOf = (patterns: readonly string[]): Kind[] =>
  (Object.keys(KINDS) as Kind[]).filter((kind) =>
    patterns.some((one) => one === '*' || one.split('.', 1)[0] === kind),
  )

/** Nobody lets others hear more than they may themselves. Throws BeyondYourEvents. */
export function requireOwnEvents(user: Viewer | null, patterns: readonly string[]): void {
  const missing = user ? deafTo(user, kindsOf(patterns)) : []
  if (missing.length > 0) throw new BeyondYourEvents(missing)
}

export function messageOf(
  controlPlaneId: string,
  { id, event, actor, detail }: StoredEvent,
): Message {
  const type = `${event.kind}.${event.action}`
  const data = { sequence: id, ...event, actor, ...(detail && { detail }) }
  return {
    id: `event_${controlPlaneId.replace(/^cp_/, '')}_${id}`,
    eventId: id,
    type,
    body: JSON.stringify({ type, timestamp: event.at, data }),
  }
}

type Test = { id: string; webhookId: string; actor: string; nowMs: number }

export function testMessage({ id, webhookId, actor, nowMs }: Test): Message {
  const at = new Date(nowMs).toISOString()
  const type = 'webhook.test'
  const data = { kind: 'webhook', id: webhookId, action: 'test', at, actor }
  return { id, eventId: null, type, body: JSON.stringify({ type, timestamp: at, data }) }
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export const newWebhookSecret = () => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** With every secret that is good: a receiver needs to know one of them. */
export function headersOf(
  { id, body }: Message,
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const signed = `${id}.${timestamp}.${body}`
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** After each failed attempt; from the last one on every six hours. */
const BACK_OFF_MS = [
  5000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
]
/** So that those that failed together do not come back together. */
const JITTER = 0.2

export function backOffMs(attempts: number, random = Math.random()): number {
  const base = BACK_OFF_MS[Math.min(attempts, BACK_OFF_MS.length) - 1] ?? 0
  return Math.round(base * (1 - JITTER + 2 * JITTER * random))
}

/** passed: this event is not for them, and the next may be. gone: they want to hear no more. */
export type Verdict = 'delivered' | 'again' | 'passed' | 'gone'

/** Not now: that says nothing of the event. */
const FOR_NOW = new Set([408, 425, 429])

export function verdictOf(status: number | null): Verdict {
  if (status === null) return 'again'
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  // They have looked, and say no to what was sent; where a redirect leads it is never sent.
  return status >= 300 && status < 500 && !FOR_NOW.has(status) ? 'passed' : 'again'
}

/** About 17 hours, by the waits above. */
const TRIES_OF_ONE = 10

/** Perhaps this one event is what they fail at; others have waited for it long enough. */
export const isPassedOver = (attempts: number, status: number | null) =>
  attempts >= TRIES_OF_ONE && (status === null || !FOR_NOW.has(status))

/** Who asks for more is asked again after a day anyway. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS

/** Retry-After (RFC 9110, 10.2.3): seconds or a date; null: it says neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  const isDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
  if (Number.isNaN(ms) || !(isDate || /^\d+$/.test(text))) return null
  return Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}

const GIVE_UP_AFTER_MS = 3 * 24 * HOUR_MS
/** Also: a clock that jumped, or a service that stood still for days, is no failure of theirs. */
const GIVE_UP_AFTER_ATTEMPTS = 10

export const isGivenUp = (attempts: number, failingForMs: number) =>
  attempts >= GIVE_UP_AFTER_ATTEMPTS && failingForMs >= GIVE_UP_AFTER_MS
