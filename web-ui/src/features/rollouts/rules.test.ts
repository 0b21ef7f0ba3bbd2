// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { RolloutState } from '../../lib/api-types.ts'
import { plan, planOf, rollout } from '../../test/samples.ts'
import {
  isInTheWay,
  isOver,
  isWaiting,
  waveState,
  whyNotApprove,
  whyNotFreeze,
  whyNotSkipGate,
  whyNotStart,
  whyNotSteer,
} from './rules.ts'

test('an incomplete revert is not over: its nodes converge when they return', () => {
  expect(isOver('revert_incomplete')).toBe(false)
  expect(isOver('reverted')).toBe(true)
  expect(isInTheWay('revert_incomplete')).toBe(false)
  expect(isInTheWay('queued')).toBe(true)
})

test('a wave before the one under way is through, one after it has not begun', () => {
  const at = rollout({ wave: 1, phase: 'soaking' })
  expect([0, 1, 2].map((index) => waveState(index, at))).toEqual(['through', 'soaking', 'next'])
})

test.each<[RolloutState, ReturnType<typeof waveState>[]]>([
  ['queued', ['next', 'next', 'next']],
  ['paused', ['through', 'paused', 'next']],
  ['frozen', ['through', 'stopped', 'left']],
  ['reverting', ['back', 'back', 'left']],
  ['reverted', ['back', 'back', 'left']],
  ['succeeded', ['through', 'through', 'through']],
])('of a rollout that is %s no wave is said to be watched', (state, expected) => {
  const at = rollout({ state, wave: 1, phase: 'soaking' })
  expect([0, 1, 2].map((index) => waveState(index, at))).toEqual(expected)
})

test('of what never began no wave had its turn', () => {
  expect(waveState(0, rollout({ state: 'cancelled', startedAt: null }))).toBe('left')
})

test('what goes back is not steered, and no gate is skipped before nodes are watched', () => {
  expect(whyNotSteer(rollout({ state: 'reverting' }))).toMatch(/going back/)
  expect(whyNotSkipGate(rollout({ phase: 'dispatching' }))).toMatch(/No gate/)
  expect(whyNotSkipGate(rollout({ phase: 'soaking' }))).toBeNull()
  expect(whyNotSkipGate(rollout({ phase: 'files' }))).toBeNull()
})

test('what has not begun is cancelled, not taken back', () => {
  expect(isWaiting('scheduled')).toBe(true)
  expect(isWaiting('running')).toBe(false)
  expect(isWaiting('cancelled')).toBe(false)
})

test('a plan is approved by others than who ordered it, each once', () => {
  const asked = rollout({ approvals: [{ by: 'bob', at: '2026-01-01T00:00:00Z' }] })
  expect(whyNotApprove(asked, 'ana')).toMatch(/You ordered it/)
  expect(whyNotApprove(asked, 'bob')).toMatch(/approved it already/)
  expect(whyNotApprove(asked, 'eve')).toBeNull()
})

describe('whyNotFreeze', () => {
  test.each<[RolloutState, boolean]>([
    ['running', true],
    ['paused', true],
    ['queued', true],
    ['reverting', true],
    ['succeeded', false],
  ])('%s may be frozen: %s', (state, may) =>
    expect(whyNotFreeze(rollout({ state })) === null).toBe(may),
  )
})

describe('whyNotStart', () => {
  test('a plan that changes something may start', () => expect(whyNotStart(plan())).toBeNull())
  test('names the nodes that would refuse it', () => {
    const error = {
      pointer: '',
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 2,
      code: 'x',
      message: 'no',
      hint: '',
    }
    expect(whyNotStart(plan({ errors: [error] }))).toContain('edge-1')
  })
  test('nothing to do is not started', () => {
    expect(whyNotStart(plan({ changes: false }))).toContain('nothing to do')
  })
  test('an empty farm is not started on', () => {
    expect(whyNotStart(planOf([]))).toBe('No node is enrolled yet.')
  })
})
