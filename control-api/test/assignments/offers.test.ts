// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { judge, type Said, type Verdict } from '../../src/assignments/offers.ts'
import type { AssignmentState } from '../../src/db/database.ts'

const SAID: Said[] = ['acked', 'nacked', 'applied', 'confirmed', 'reverted', 'stuck']

describe('what a message about an offer means', () => {
  test.each(SAID)('%s is news to a fresh offer, and only once', (said) => {
    expect(judge(said, 'offered')).toBe('take')
    expect(judge(said, said)).toBe('repeated')
  })

  const rows: [said: Said, state: AssignmentState, verdict: Verdict][] = [
    ['acked', 'confirmed', 'repeated'],
    ['applied', 'acked', 'take'],
    ['applied', 'confirmed', 'repeated'],
    ['applied', 'reverted', 'stale'],
    ['confirmed', 'reverted', 'stale'],
    ['nacked', 'applied', 'stale'],
    ['reverted', 'confirmed', 'take'],
    ['reverted', 'nacked', 'stale'],
    ['reverted', 'stuck', 'take'],
    ['stuck', 'reverted', 'stale'],
    ['acked', 'withdrawn', 'stale'],
    ['reverted', 'withdrawn', 'stale'],
  ]
  test.each(rows)('%s after %s: %s', (said, state, verdict) => {
    expect(judge(said, state)).toBe(verdict)
  })

  test('nothing is taken for ever: every walk through the states ends', () => {
    const steps = (state: AssignmentState, seen: AssignmentState[]): number => {
      const next = SAID.filter((said) => judge(said, state) === 'take')
      expect(seen.filter((before) => before === state).length).toBe(0)
      return 1 + Math.max(0, ...next.map((said) => steps(said, [...seen, state])))
    }
    expect(steps('offered', [])).toBeLessThan(9)
  })
})
