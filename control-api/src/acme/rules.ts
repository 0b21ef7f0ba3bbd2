// SPDX-License-Identifier: MIT
// When a certificate is renewed, and when a CA is asked again. Pure; times are milliseconds.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export type Life = { notBeforeMs: number; notAfterMs: number }

/** Certificates that were ordered together do not come back together. */
const EARLIEST = 0.6
const LATEST = 2 / 3

/** By ourselves: somewhere between three fifths and two thirds of the life. */
export const spreadRenewalMs = ({ notBeforeMs, notAfterMs }: Life, random: number): number =>
  Math.round(notBeforeMs + (notAfterMs - notBeforeMs) * (EARLIEST + (LATEST - EARLIEST) * random))

const YOUNG = 0.1

/**
 * With what the CA suggests. A window in the past means now, but a CA that always says so gets no order after order:
 * nothing is renewed within a day, or a tenth of a short life. One that suggests later than two thirds is not waited for.
 */
export function renewalMs(
  life: Life,
  window: { startMs: number; endMs: number } | null,
  random: number,
): number {
  const own = spreadRenewalMs(life, random)
  if (window === null) return own
  const lifeMs = life.notAfterMs - life.notBeforeMs
  const chosen = Math.round(window.startMs + (window.endMs - window.startMs) * random)
  if (chosen > life.notBeforeMs + lifeMs * LATEST) return own
  return Math.max(chosen, life.notBeforeMs + Math.min(DAY_MS, Math.round(lifeMs * YOUNG)))
}

/** How long what a CA suggests is good: as it says, within a minute and a day. */
export const nextLookMs = (retryAfter: number | null): number =>
  Math.min(Math.max(retryAfter ?? 6 * HOUR_MS, MINUTE_MS), DAY_MS)

const JITTER = 0.2
const vary = (ms: number, random: number) => Math.round(ms * (1 - JITTER + 2 * JITTER * random))
const doubled = (first: number, failures: number, most: number) =>
  Math.min(first * 2 ** Math.min(Math.max(failures - 1, 0), 30), most)

/** A CA that does not answer: soon again, and never later than an hour, for it will be back. */
export const awayMs = (failures: number, retryAfter: number | null, random: number): number =>
  Math.max(vary(doubled(MINUTE_MS, failures, HOUR_MS), random), retryAfter ?? 0)

/** A name it will not certify: CAs count failures by the hour, and people must mend something first. */
export const refusedMs = (failures: number, retryAfter: number | null, random: number): number =>
  Math.max(vary(doubled(15 * MINUTE_MS, failures, 12 * HOUR_MS), random), retryAfter ?? 0)

const MAX_RETRY_AFTER_MS = 14 * DAY_MS

/** Retry-After (RFC 9110, 10.2.3): seconds or a date; null: it says neither. Limits of CAs last up to a week. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  const isSeconds = /^\d{1,10}$/.test(text)
  const isDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
  if (!isSeconds && !isDate) return null
  const ms = isSeconds ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}
