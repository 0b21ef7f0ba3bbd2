// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import {
  awayMs,
  nextLookMs,
  refusedMs,
  renewalMs,
  retryAfterMs,
  spreadRenewalMs,
} from '../../src/acme/rules.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
const random = seededRandom(9773)

test('whatever a CA suggests, no certificate waits beyond two thirds of its life', () => {
  for (let round = 0; round < 20_000; round += 1) {
    const notBeforeMs = Math.floor(random() * 1e12)
    const lifeMs = HOUR_MS + Math.floor(random() * 400 * DAY_MS)
    const life = { notBeforeMs, notAfterMs: notBeforeMs + lifeMs }
    const startMs = notBeforeMs + Math.floor((random() * 4 - 2) * lifeMs)
    const window = { startMs, endMs: startMs + 1 + Math.floor(random() * lifeMs) }
    const at = renewalMs(life, random() < 0.3 ? null : window, random())
    expect(at).toBeLessThanOrEqual(Math.ceil(notBeforeMs + (lifeMs * 2) / 3))
    // Nor is it ordered again as soon as it is there.
    expect(at).toBeGreaterThanOrEqual(notBeforeMs + Math.min(DAY_MS, Math.round(lifeMs / 10)))
  }
})

test('a thousand certificates of one hour are spread over six days of ninety', () => {
  const life = { notBeforeMs: 0, notAfterMs: 90 * DAY_MS }
  const days = Array.from({ length: 1000 }, () => spreadRenewalMs(life, random()) / DAY_MS)
  expect(Math.min(...days)).toBeGreaterThanOrEqual(54)
  expect(Math.max(...days)).toBeLessThanOrEqual(60)
  expect(new Set(days.map(Math.floor))).toEqual(new Set([54, 55, 56, 57, 58, 59]))
})

test('a short-lived certificate leaves two days for a CA that is away for two days', () => {
  const life = { notBeforeMs: 0, notAfterMs: 160 * HOUR_MS }
  expect(life.notAfterMs - spreadRenewalMs(life, 1)).toBeGreaterThan(2 * DAY_MS)
})

test('within the window that a CA suggests the instant is drawn', () => {
  const life = { notBeforeMs: 0, notAfterMs: 90 * DAY_MS }
  const window = { startMs: 40 * DAY_MS, endMs: 50 * DAY_MS }
  expect(renewalMs(life, window, 0.25)).toBe(42.5 * DAY_MS)
  // It wants it gone, and is obeyed: a day after the last one.
  expect(renewalMs(life, { startMs: -9 * DAY_MS, endMs: -8 * DAY_MS }, 0.5)).toBe(DAY_MS)
})

test('waits grow, vary, end at their bound and never undercut Retry-After', () => {
  expect([1, 2, 3].map((failures) => awayMs(failures, null, 0.5))).toEqual([
    60_000, 120_000, 240_000,
  ])
  for (let failures = 0; failures < 2000; failures += 1) {
    expect(awayMs(failures, null, random())).toBeLessThanOrEqual(1.2 * HOUR_MS)
    expect(refusedMs(failures, null, random())).toBeLessThanOrEqual(14.4 * HOUR_MS)
    expect(refusedMs(failures, null, random())).toBeGreaterThanOrEqual(12 * 60_000)
  }
  expect(awayMs(1, 5 * HOUR_MS, 0)).toBe(5 * HOUR_MS)
  expect(refusedMs(1, 30 * HOUR_MS, 0)).toBe(30 * HOUR_MS)
})

test.each([
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:02:00 GMT', 120_000],
  ['Wed, 31 Dec 1969 00:00:00 GMT', 0],
  ['9999999999', 14 * DAY_MS],
  ['soon', null],
  ['-5', null],
  ['1e9', null],
  [undefined, null],
])('Retry-After %s', (header, ms) => {
  expect(retryAfterMs(header, 0)).toBe(ms)
})

test('renewal information is asked for again within a minute and a day', () => {
  expect([0, 5 * HOUR_MS, 9 * DAY_MS, null].map(nextLookMs)).toEqual([
    60_000,
    5 * HOUR_MS,
    DAY_MS,
    6 * HOUR_MS,
  ])
})
