// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { NodeIdentity } from '../../../lib/api-types.ts'
import { node } from '../../../test/samples.ts'
import {
  channelVerdict,
  isRenewalOverdue,
  isSilent,
  keptOf,
  processName,
  standingRefusal,
  timeLeft,
} from './identity-rules.ts'

const day = 86_400_000
const now = Date.parse('2026-03-01T00:00:00Z')
const at = (days: number) => new Date(now + days * day).toISOString()
const identity = (change: Partial<NodeIdentity> = {}): NodeIdentity => ({
  ...node().identity,
  issuedAt: at(-1),
  notAfter: at(29),
  ...change,
})

test.each([
  [{}, 'Mutual TLS'],
  [{ kind: 'credential' }, 'Plain HTTP, not protected'],
  [{ state: 'expired' }, 'Certificate expired'],
  [{ kind: 'none', state: 'revoked' }, 'Revoked'],
] satisfies [Partial<NodeIdentity>, string][])('%j is said as %s', (change, label) => {
  expect(channelVerdict(identity(change)).label).toBe(label)
})

describe('a renewal is overdue', () => {
  test('after three quarters of a life, not when it is merely due', () => {
    const aged = (days: number) => identity({ issuedAt: at(-days), notAfter: at(30 - days) })
    expect(isRenewalOverdue(aged(22), now)).toBe(false)
    expect(isRenewalOverdue(aged(23), now)).toBe(true)
  })
  test('never of what has no certificate, or none that could be renewed', () => {
    const old = { issuedAt: at(-29), notAfter: at(1) }
    expect(isRenewalOverdue(identity({ ...old, kind: 'credential' }), now)).toBe(false)
    expect(isRenewalOverdue(identity({ ...old, state: 'expired' }), now)).toBe(false)
    expect(isRenewalOverdue(identity({ ...old, issuedAt: null }), now)).toBe(false)
  })
})

test('what is left of a life, in words', () => {
  expect(timeLeft(at(29), now)).toBe('in 29 d')
  expect(timeLeft(at(-2), now)).toBe('ended 2 d ago')
})

test('processes on one host can be told apart', () => {
  const of = (incarnation: string) =>
    processName({ incarnation, hostname: 'web-1', address: null, lastSeenAt: at(0) })
  expect(of('a'.repeat(32))).toBe('web-1 (aaaaaaaa)')
  expect(of('b'.repeat(32))).not.toBe(of('a'.repeat(32)))
})

test('the kept process is found by its incarnation', () => {
  const [one, two] = ['a', 'b'].map((letter) => ({
    ...{ incarnation: letter.repeat(32), hostname: letter, address: null, lastSeenAt: at(0) },
  }))
  const incarnations = one && two ? [one, two] : []
  expect(keptOf({ detectedAt: at(0), keep: null, incarnations })).toBeNull()
  expect(keptOf({ detectedAt: at(0), keep: 'b'.repeat(32), incarnations })).toBe(two)
})

test('a process that misses its hellos is silent', () => {
  const heard = (seconds: number) => ({
    ...{ incarnation: 'a'.repeat(32), hostname: 'web-1', address: null },
    lastSeenAt: new Date(now - seconds * 1000).toISOString(),
  })
  expect(isSilent(heard(31), now)).toBe(false)
  expect(isSilent(heard(91), now)).toBe(true)
})

test('a refusal counts until there is a newer identity', () => {
  const refused = { at: at(-2), code: 'identity_revoked' }
  expect(standingRefusal(identity({ refused }))).toBeNull()
  expect(standingRefusal(identity({ refused, issuedAt: at(-3) }))).toBe(refused)
  expect(standingRefusal(identity({ refused, state: 'revoked' }))).toBe(refused)
})
