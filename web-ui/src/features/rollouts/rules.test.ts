// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { RolloutState } from '../../lib/api-types.ts'
import { plan, rollout, task } from '../../test/samples.ts'
import { isOver, nodesDone, whyNotFreeze, whyNotStart } from './rules.ts'

test('only confirmed nodes count as done', () => {
  const tasks = (['done', 'healthy', 'applied', 'confirmed', 'nacked'] as const).map((state) =>
    task({ state }),
  )
  expect(nodesDone(rollout({ tasks }))).toBe(2)
})

test('an incomplete revert is not over: its nodes converge when they return', () => {
  expect(isOver('revert_incomplete')).toBe(false)
  expect(isOver('reverted')).toBe(true)
})

describe('whyNotFreeze', () => {
  test.each<[RolloutState, boolean]>([
    ['running', true],
    ['paused', true],
    ['queued', true],
    ['reverting', false],
    ['succeeded', false],
  ])('%s may be frozen: %s', (state, may) => expect(whyNotFreeze(state) === null).toBe(may))
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
    expect(whyNotStart({ ...plan(), nodes: [] })).toBe('No node is enrolled yet.')
  })
})
