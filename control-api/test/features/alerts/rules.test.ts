// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { slowIn } from '../../../src/features/alerts/burn-rate.ts'
import { planOf, sentence } from '../../../src/features/alerts/measured.ts'
import {
  burning,
  type Counted,
  isEnding,
  isSaidAnew,
  next,
  type Open,
  type Standing,
  standingOf,
} from '../../../src/features/alerts/rules.ts'
import { histogramOf } from '../../histogram-of.ts'

const NOW = 1_000_000
const times = { forSeconds: 60, keepFiringSeconds: 30 }
const pending = (sinceMs: number): Open => ({
  ...{ state: 'pending', pendingAtMs: sinceMs, clearSinceMs: null, isWithoutData: false },
})
const firing = (change: Partial<Open> = {}): Open => ({
  ...{ state: 'firing', pendingAtMs: 0, clearSinceMs: null, isWithoutData: false },
  ...change,
})

describe('what becomes of an alert', () => {
  test.each<[string, Open | null, Standing, string]>([
    ['nothing, and clear', null, 'clear', 'same'],
    ['nothing, and no data', null, 'no-data', 'same'],
    ['nothing, and bad', null, 'bad', 'pending'],
    ['pending, bad for a moment', pending(NOW - 59_999), 'bad', 'same'],
    ['pending, bad for long enough', pending(NOW - 60_000), 'bad', 'firing'],
    ['pending, and clear', pending(0), 'clear', 'dropped'],
    ['pending, and no data', pending(0), 'no-data', 'dropped'],
    ['pending, and between', pending(0), 'between', 'dropped'],
    ['firing, and bad', firing(), 'bad', 'same'],
    ['firing, and between', firing(), 'between', 'same'],
    ['firing, and clear for the first time', firing(), 'clear', 'noted'],
    ['firing, clear for a moment', firing({ clearSinceMs: NOW - 29_999 }), 'clear', 'same'],
    ['firing, clear for long enough', firing({ clearSinceMs: NOW - 30_000 }), 'clear', 'resolved'],
    ['firing, bad again', firing({ clearSinceMs: NOW - 29_999 }), 'bad', 'noted'],
    ['firing, and no data', firing(), 'no-data', 'noted'],
    ['firing, still no data', firing({ isWithoutData: true }), 'no-data', 'same'],
    ['firing, data again', firing({ isWithoutData: true }), 'bad', 'noted'],
    ['firing, and gone', firing(), 'gone', 'resolved'],
  ])('%s', (_name, open, now, to) => {
    expect(next(open, now, times, NOW).to).toBe(to)
  })

  test('a rule that asks for no time fires at once', () => {
    expect(next(null, 'bad', { ...times, forSeconds: 0 }, NOW).to).toBe('firing')
  })
})

test('a threshold is passed at one value and cleared at another', () => {
  const above = { comparison: 'above', threshold: 10, clearThreshold: 8 } as const
  const below = { comparison: 'below', threshold: 10, clearThreshold: 12 } as const
  const of = (values: (number | null)[], by: Parameters<typeof standingOf>[1]) =>
    values.map((value) => standingOf(value, by))
  expect(of([11, 10, 8, 7.9, null], above)).toEqual([
    'bad',
    'between',
    'between',
    'clear',
    'no-data',
  ])
  expect(of([9, 10, 12, 12.1], below)).toEqual(['bad', 'between', 'between', 'clear'])
  expect(of([10, 11], { comparison: 'above', threshold: 10 })).toEqual(['clear', 'bad'])
})

describe('a budget burns too fast', () => {
  /** So many of a million each minute are bad, for so many minutes until now. */
  const badFor =
    (minutes: number, ratio: number) =>
    (seconds: number): Counted => {
      const all = (seconds / 60) * 1_000_000
      return { all, bad: Math.min(minutes, seconds / 60) * 1_000_000 * ratio }
    }
  test.each<[string, (seconds: number) => Counted, number | null]>([
    ['all is well', badFor(0, 0), null],
    ['within the budget', badFor(5000, 0.0009), null],
    ['for minutes, fast', badFor(3, 0.02), null],
    ['for an hour, fast', badFor(60, 0.02), 14.4],
    ['for six hours, less fast', badFor(360, 0.007), 6],
    ['for three days, slowly', badFor(4320, 0.002), 1],
  ])('%s', (_name, countedIn, factor) => {
    expect(burning(0.999, countedIn)?.factor ?? null).toBe(factor)
  })

  test('not when it is over: the short window says so', () => {
    const over = (seconds: number): Counted =>
      seconds <= (6 * 3600) / 12 ? { all: 1000, bad: 0 } : { all: 10_000, bad: 500 }
    expect(burning(0.999, over)?.factor).not.toBe(14.4)
  })

  test('not by one of a handful', () => {
    expect(burning(0.999, () => ({ all: 20, bad: 9 }))).toBeNull()
  })

  test('by requests that took longer than a limit, to within a bucket', () => {
    const step = histogramOf([0.01, 0.049, 0.05, 0.052, 0.2, 0.4])
    expect(slowIn(step, 0.05)).toEqual({ all: 6, bad: 2 })
    expect(slowIn(step, 10)).toEqual({ all: 6, bad: 0 })
    expect(slowIn(null, 0.05)).toEqual({ all: 0, bad: 0 })
  })
})

test('a certificate ends soon by days and by its own life', () => {
  const DAY = 86_400_000
  const life = (days: number) => ({ fromMs: 0, toMs: days * DAY })
  // One of 90 days that renews itself at 30 left is not late; one of six days that does at two is not either.
  expect(isEnding(life(90), 14, 60 * DAY)).toBe(false)
  expect(isEnding(life(90), 14, 77 * DAY)).toBe(true)
  expect(isEnding(life(6), 14, 4.5 * DAY)).toBe(false)
  expect(isEnding(life(6), 14, 5.1 * DAY)).toBe(true)
  expect(isEnding(life(6), 14, 7 * DAY)).toBe(true)
})

test('what is read of many nodes is coarser', () => {
  const now = 1_800_000_030_000
  expect(planOf(300, 10_000, now)).toMatchObject({ resolutionSeconds: 60, stepSeconds: 300 })
  const { fromSeconds, toSeconds, resolutionSeconds } = planOf(3600, 10_000, now)
  expect([toSeconds - fromSeconds, resolutionSeconds, toSeconds % 900]).toEqual([3600, 900, 0])
  expect(toSeconds * 1000).toBeLessThanOrEqual(now - 60_000)
})

test.each([
  ['the same', { value: 1, name: 'a' }, { value: 1.04, name: 'a' }, false],
  ['another value', { value: 1, name: 'a' }, { value: 1.06, name: 'a' }, true],
  ['another name', { value: null, name: 'a' }, { value: null, name: 'b' }, true],
  ['nothing measured any more', { value: 1, name: 'a' }, { value: null, name: 'a' }, true],
  ['still nothing to measure', { value: null, name: 'a' }, { value: null, name: 'a' }, false],
  ['nothing at all and nothing', { value: 0, name: 'a' }, { value: 0, name: 'a' }, false],
])('what is said of an alert with %s', (_what, before, now, isAnew) => {
  expect(isSaidAnew(before, now)).toBe(isAnew)
})

test.each([
  ['quantile:firstByte:0.999', 0.32, 0.1, 'p99.9 of firstByte over 5 min is 320 ms, above 100 ms.'],
  ['share:responses5xx', 0.07, 0.05, 'share of responses5xx over 5 min is 7 %, above 5 %.'],
  ['gauge:diskUsedRatio', 0.934, 0.9, 'diskUsedRatio over 5 min is 93.4 %, above 90 %.'],
  ['gauge:residentBytes', 2 ** 30, 2 ** 29, 'residentBytes over 5 min is 1024 MiB, above 512 MiB.'],
  ['rate:requests', 12.5, 10, 'rate of requests over 5 min is 12.5 a second, above 10 a second.'],
  ['gauge:readQueue', 3, 2, 'readQueue over 5 min is 3, above 2.'],
])('%s is said with its unit', (by, value, threshold, expected) => {
  const times = { windowSeconds: 300, comparison: 'above', each: 'node' } as const
  expect(sentence({ kind: 'measurement', by, threshold, ...times }, value)).toBe(expected)
})
