// SPDX-License-Identifier: MIT

import { describe, expect, it, test } from 'vitest'
import type { Closed } from '../../../../src/features/rollout-rules/windows.ts'
import { emergencyStrategy } from '../../../../src/features/rollouts/plan/emergency.ts'
import { requireApproval } from '../../../../src/features/rollouts/queue/approvals.ts'
import type { WaitingState } from '../../../../src/features/rollouts/reducer/model.ts'
import {
  isQueueDue,
  nextStep,
  type Situation,
  type Step,
  type Waiting,
  whyNotBefore,
} from '../../../../src/features/rollouts/reducer/queue.ts'
import { worded } from '../worded.ts'

const CLOSED: Closed = { opens: 'Mon 2026-11-30 08:00', timeZone: 'Europe/Berlin' }
const NOW = Date.parse('2026-11-23T12:00:00Z')
const order = (id: string, nodeIds: string[], change: Partial<Waiting> = {}): Waiting => ({
  id,
  state: 'planned',
  reason: { code: 'planned' },
  nodeIds,
  place: null,
  onOverlap: 'queue',
  isEmergency: false,
  approvals: { needed: 0, given: 0, byMs: null },
  startAtMs: null,
  blockedBy: [],
  outOfReach: [],
  ...change,
})
const now = (owners: Record<string, string> = {}, closed: Closed | null = null): Situation => ({
  nowMs: NOW,
  closed,
  owners: new Map(Object.entries(owners)),
})
/** In words. */
const said = (step: Step | null) => (step && 'reason' in step ? worded(step) : step)
/** As it is once it has been told what it waits for. */
const told = (waiting: Waiting[], situation: Situation): Waiting[] => {
  const step = nextStep(waiting, situation)
  if (step?.kind !== 'wait') return waiting
  const place =
    step.state === 'queued' ? Math.max(0, ...waiting.map((w) => w.place ?? 0)) + 1 : null
  const { id, state, reason, blockedBy } = step
  const after = waiting.map((one) =>
    one.id === id ? { ...one, state, reason, blockedBy, place: one.place ?? place } : one,
  )
  return told(after, situation)
}

describe('the line', () => {
  it('lets begin whose nodes are free', () => {
    const step = nextStep([order('r1', ['a'])], now({ b: 'r0' }))
    expect(step).toEqual({ kind: 'start', id: 'r1', ends: [] })
  })

  it('has those wait whose nodes another owns, and names it', () => {
    const step = nextStep([order('r1', ['a', 'b'])], now({ b: 'r0' }))
    expect(step).toMatchObject({ kind: 'wait', state: 'queued', blockedBy: ['r0'] })
    expect(said(step)).toMatchObject({
      reason: expect.stringContaining('r0 has some of its nodes'),
    })
  })

  it('does not let begin what contains what went back while it waited, unless it takes over', () => {
    const contains = { rolloutId: 'r0', version: 2 }
    const held = order('r1', ['a'], { state: 'queued', blockedBy: ['r0'], contains })
    expect(said(nextStep([held], now()))).toMatchObject({
      ...{ kind: 'end', id: 'r1', state: 'cancelled', blockedBy: ['r0'] },
      reason: expect.stringContaining('order it again: farmctl rollout again r1.'),
    })
    for (const change of [{ onOverlap: 'supersede' as const }, { isEmergency: true }]) {
      expect(nextStep([{ ...held, ...change }], now())).toMatchObject({ kind: 'start' })
    }
    // Before its time nobody asks.
    const later = { ...held, startAtMs: NOW + 1 }
    expect(nextStep([later], now())).toMatchObject({ kind: 'wait', state: 'scheduled' })
  })

  it('has nobody pass somebody who was there before and wants the same', () => {
    const line = told([order('r1', ['a', 'b'])], now({ a: 'r0' }))
    const step = nextStep([...line, order('r2', ['b', 'c'])], now({ a: 'r0' }))
    expect(step).toMatchObject({ id: 'r2', state: 'queued', blockedBy: ['r1'] })
    const disjoint = nextStep([...line, order('r3', ['c'])], now({ a: 'r0' }))
    expect(disjoint).toEqual({ kind: 'start', id: 'r3', ends: [] })
  })

  it('keeps a place also when an older order is due later', () => {
    const waiting = [order('r2', ['a'], { state: 'queued', place: 1 }), order('r1', ['a'])]
    expect(nextStep(waiting, now())).toMatchObject({ kind: 'start', id: 'r2' })
  })

  it('is at rest when all have been told', () => {
    const line = told([order('r1', ['a']), order('r2', ['a'])], now({ a: 'r0' }))
    expect(line.map(({ blockedBy }) => blockedBy)).toEqual([['r0'], ['r0', 'r1']])
    expect(nextStep(line, now({ a: 'r0' }))).toBeNull()
    expect(nextStep(line, now())).toMatchObject({ kind: 'start', id: 'r1' })
  })

  it('ends an order that was not to wait, and says who is in the way', () => {
    const step = nextStep([order('r1', ['a'], { onOverlap: 'refuse' })], now({ a: 'r0' }))
    expect(step).toMatchObject({ kind: 'end', state: 'cancelled', blockedBy: ['r0'] })
  })

  it('gives the nodes and the place of earlier orders to one that supersedes them', () => {
    const earlier = [
      order('r1', ['a'], { state: 'queued', place: 1 }),
      order('r2', ['a'], { state: 'scheduled' }),
      order('r3', ['a'], {
        state: 'awaiting_approval',
        approvals: { needed: 1, given: 0, byMs: NOW + 1 },
      }),
      order('r4', ['b'], { state: 'queued', place: 2 }),
    ]
    const newer = order('r6', ['a'], { state: 'scheduled', startAtMs: NOW + 1 })
    const step = nextStep(
      [order('r5', ['a'], { onOverlap: 'supersede', place: 0 }), ...earlier, newer],
      now({ a: 'r0' }),
    )
    expect(step).toEqual({ kind: 'start', id: 'r5', ends: ['r0', 'r1', 'r2'] })
  })

  it('has it wait when what it would end reaches further than its author', () => {
    const change = { onOverlap: 'supersede' as const, outOfReach: ['r0'] }
    expect(nextStep([order('r1', ['a'], change)], now({ a: 'r0' }))).toMatchObject({
      kind: 'wait',
      state: 'queued',
      blockedBy: ['r0'],
    })
  })
})

describe('before the line', () => {
  const asked = { needed: 2, given: 1, byMs: NOW + 3_600_000 }

  it('others agree, or it expires', () => {
    const step = nextStep([order('r1', ['a'], { approvals: asked })], now())
    expect(step).toMatchObject({ kind: 'wait', state: 'awaiting_approval' })
    expect(said(step)).toMatchObject({ reason: expect.stringContaining('1 of 2 approvals') })
    const late = { ...now(), nowMs: NOW + 3_600_000 }
    expect(nextStep([order('r1', ['a'], { approvals: asked })], late)).toMatchObject({
      kind: 'end',
      state: 'expired',
    })
    const agreed = order('r1', ['a'], { approvals: { ...asked, given: 2 } })
    expect(nextStep([agreed], late)).toMatchObject({ kind: 'start' })
  })

  it('says to whoever is to agree that its time has passed, unless a window keeps it', () => {
    const late = order('r1', ['a'], { approvals: asked, startAtMs: NOW - 60_000 })
    const passed = /Its time, \S+Z, has passed: the last approval begins it at once/
    expect(said(nextStep([late], now()))).toMatchObject({ reason: expect.stringMatching(passed) })
    const early = order('r1', ['a'], { approvals: asked, startAtMs: NOW + 60_000 })
    expect(said(nextStep([early], now()))).not.toMatchObject({
      reason: expect.stringMatching(passed),
    })
    const shut = { ...now(), closed: CLOSED }
    expect(said(nextStep([late], shut))).not.toMatchObject({
      reason: expect.stringMatching(passed),
    })
  })

  it('its time comes, and a change window opens', () => {
    const later = order('r1', ['a'], { startAtMs: NOW + 1 })
    expect(said(nextStep([later], now()))).toMatchObject({
      state: 'scheduled',
      reason: expect.stringContaining('It begins 2026-11-23T12:00:00Z'),
    })
    const step = nextStep([order('r1', ['a'])], now({}, CLOSED))
    expect(step).toMatchObject({ state: 'scheduled' })
    expect(said(step)).toMatchObject({
      reason: expect.stringContaining('No change window is open: '),
    })
  })

  it('takes no place in the line: others with the same nodes begin', () => {
    const scheduled = told([order('r1', ['a'], { startAtMs: NOW + 1 })], now())
    expect(nextStep([...scheduled, order('r2', ['a'])], now())).toMatchObject({ id: 'r2' })
  })

  it('time alone is noticed without looking at nodes', () => {
    const scheduled = told([order('r1', ['a'], { startAtMs: NOW + 1 })], now())
    const queued = told([order('r2', ['a'])], now({ a: 'r0' }))
    expect(isQueueDue([...scheduled, ...queued], now())).toBe(false)
    expect(isQueueDue(scheduled, { ...now(), nowMs: NOW + 1 })).toBe(true)
    expect(isQueueDue(queued, now({}, CLOSED))).toBe(true)
  })
})

describe('an emergency', () => {
  it('asks nobody, waits for nothing, and takes the place of all', () => {
    const approvals = { needed: 2, given: 0, byMs: NOW }
    const change = { isEmergency: true, approvals, startAtMs: NOW + 1 }
    const queued = order('r1', ['a'], { state: 'queued', place: 1 })
    const step = nextStep([queued, order('r2', ['a'], change)], now({ a: 'r0' }, CLOSED))
    // The line is looked at in order: that of the first has to be told that the window is closed.
    expect(step).toMatchObject({ id: 'r1', state: 'scheduled' })
    const after = told([queued], now({ a: 'r0' }, CLOSED))
    expect(nextStep([...after, order('r2', ['a'], change)], now({ a: 'r0' }, CLOSED))).toEqual({
      kind: 'start',
      id: 'r2',
      ends: ['r0', 'r1'],
    })
  })

  it('goes to one node first, and keeps the gates that take back', () => {
    expect(emergencyStrategy()).toMatchObject({
      waves: [{ nodes: 1 }, { percent: 100 }],
      gates: [
        { metric: 'errors5xx' },
        { metric: 'errors4xx' },
        { metric: 'errors404' },
        { metric: 'bytesPerRequest' },
      ],
    })
    expect(emergencyStrategy({ waves: [{ percent: 50 }, { percent: 100 }] }).waves).toEqual([
      { nodes: 1 },
      { percent: 50 },
      { percent: 100 },
    ])
    expect(
      emergencyStrategy({ waves: [{ nodes: 1 }, { nodes: 9 }], maxParallel: 2 }),
    ).toMatchObject({
      waves: [{ nodes: 1 }, { nodes: 9 }],
      maxParallel: 2,
    })
  })
})

test.each<[WaitingState, string, boolean]>([
  ['awaiting_approval', 'approve', true],
  ['awaiting_approval', 'reject', true],
  ['scheduled', 'approve', false],
  ['queued', 'reject', false],
  ['queued', 'cancel', true],
  ['scheduled', 'cancel', true],
  ['queued', 'freeze', false],
  ['queued', 'revert', false],
])('while %s, %s is possible: %s', (state, action, isPossible) => {
  expect(whyNotBefore(state, action) === null).toBe(isPossible)
})

describe('an approval', () => {
  const rollout = { author_id: 'user_ana', plan_digest: 'sha256:1' }
  const of = (userId: string, planDigest = 'sha256:1') => ({ userId, username: '', planDigest })

  it('is of the plan, of another than the author, and of each once', () => {
    const code = (approval: ReturnType<typeof of>, earlier: string[] = []) => {
      try {
        requireApproval(rollout, earlier, approval)
        return null
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    expect(code(of('user_ben'))).toBeNull()
    expect(code(of('user_ben', 'sha256:2'))).toBe('approval_void')
    expect(code(of('user_ana'))).toBe('own_rollout')
    expect(code(of('user_ben'), ['user_ben'])).toBe('already_approved')
  })
})
