// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import {
  type Candidate,
  chooseAuthority,
  NO_HOLD,
  react,
  type Situation,
  stepFor,
} from '../../src/acme/decisions.ts'
import { spreadRenewalMs } from '../../src/acme/rules.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS

const situation = (change: Partial<Situation> = {}): Situation => ({
  failure: { kind: 'away', retryAfterMs: null },
  isMade: false,
  expiresAtMs: null,
  authority: NO_HOLD,
  own: NO_HOLD,
  hasOther: false,
  nowMs: 0,
  random: 0.5,
  ...change,
})
const candidate = (name: string, authority = 0, own = 0): Candidate => ({
  name,
  authority: { untilMs: authority, failures: 1 },
  own: { untilMs: own, failures: 1 },
})

test.each([
  ['pending', false, 'publishing'],
  ['pending', true, 'validating'],
  ['ready', true, 'finalizing'],
  ['processing', true, 'finalizing'],
  ['valid', false, 'downloading'],
  ['invalid', true, 'failed'],
] as const)('an order that is %s at the CA (told: %s) is %s', (status, isTold, step) => {
  expect(stepFor(status, isTold)).toBe(step)
})

test('the first CA that may be asked is; while none may, the soonest is waited for', () => {
  const all = [candidate('first', 50), candidate('second', 0, 20), candidate('third', 0, 90)]
  expect(chooseAuthority(all, 0)).toEqual({ waitUntilMs: 20 })
  expect(chooseAuthority(all, 30)).toEqual({ authority: 'second' })
  expect(chooseAuthority(all, 50)).toEqual({ authority: 'first' })
})

test('a CA that is silent three times is left for another, and waited for when there is none', () => {
  const silent = { untilMs: 0, failures: 2 }
  expect(react(situation({ authority: silent, hasOther: true })).order).toBe('over')
  expect(react(situation({ authority: silent })).order).toBe('again')
  expect(react(situation({ hasOther: true })).order).toBe('again')
  // Its order is gone by then.
  expect(react(situation({ isMade: true, expiresAtMs: 30_000 })).order).toBe('over')
})

test('a CA that is away for two days from the hour of renewal on loses no site, of six days of life either', () => {
  for (const lifeMs of [160 * HOUR_MS, 90 * DAY_MS]) {
    const life = { notBeforeMs: 0, notAfterMs: lifeMs }
    let nowMs = spreadRenewalMs(life, 1)
    const backAtMs = nowMs + 2 * DAY_MS
    let authority = NO_HOLD
    let asked = 0
    while (nowMs < backAtMs) {
      asked += 1
      const reaction = react(situation({ nowMs, authority, random: 1 }))
      expect(reaction.order).toBe('again')
      authority = reaction.authority
      nowMs = reaction.atMs
    }
    expect(nowMs).toBeLessThan(lifeMs)
    expect(nowMs - backAtMs).toBeLessThan(1.3 * HOUR_MS)
    // Nor was it asked more often than once an hour when it stayed away.
    expect(asked).toBeLessThan(55)
  }
})

test('a limit holds the certificate as long as the CA says, and the CA for an hour', () => {
  const failure = { kind: 'rate-limited', retryAfterMs: 34 * HOUR_MS } as const
  const { order, authority, own } = react(situation({ failure }))
  expect({ order, authority: authority.untilMs, own: own.untilMs }).toEqual({
    order: 'over',
    authority: HOUR_MS,
    own: 34 * HOUR_MS,
  })
  // An order that it has goes on; asking for another would count again.
  expect(react(situation({ failure, isMade: true }))).toMatchObject({
    order: 'again',
    atMs: 34 * HOUR_MS,
  })
})

test('a refusal ends the order, holds the certificate longer each time, and says nothing of the CA', () => {
  const failure = { kind: 'refused', retryAfterMs: null } as const
  let own = NO_HOLD
  const waits: number[] = []
  for (let round = 0; round < 8; round += 1) {
    const reaction = react(situation({ failure, own }))
    expect(reaction).toMatchObject({ order: 'over', authority: NO_HOLD })
    own = reaction.own
    waits.push(own.untilMs / HOUR_MS)
  }
  expect(waits).toEqual([0.25, 0.5, 1, 2, 4, 8, 12, 12])
})

test('an account that the CA forgot is made anew at once, but not for ever', () => {
  const failure = { kind: 'no-account', retryAfterMs: null } as const
  expect(react(situation({ failure }))).toMatchObject({ order: 'again', atMs: 0 })
  const often = { untilMs: 0, failures: 3 }
  expect(react(situation({ failure, own: often })).order).toBe('over')
})

test('what a CA does not know yet is asked for again within seconds, three times', () => {
  const failure = { kind: 'lost', retryAfterMs: null } as const
  const first = react(situation({ failure, isMade: true }))
  expect(first).toMatchObject({ order: 'again', atMs: 5000, authority: NO_HOLD })
  const own = { untilMs: 0, failures: 3 }
  expect(react(situation({ failure, isMade: true, own }))).toMatchObject({ order: 'over' })
})
