// SPDX-License-Identifier: MIT

import { describe, expect, it } from 'vitest'
import type { TaskState } from '../../../../src/api-shapes/states.ts'
import { DEADLINES } from '../../../../src/assignments/deadlines.ts'
import {
  AT_ONCE,
  firstProgress,
  isTerminal,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import { reduce } from '../../../../src/features/rollouts/reducer/rules.ts'
import { rankOf } from '../../../../src/features/rollouts/reducer/tasks.ts'
import { tellReason } from '../../../../src/features/rollouts/words/reasons.ts'
import { seededRandom } from '../../../histogram-of.ts'
import { worded } from '../worded.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const task = (nodeId: string, state: TaskState = 'pending'): Task => ({
  nodeId,
  nodeName: nodeId,
  state,
  generation: state === 'pending' ? null : 7,
  digest: DIGEST,
  code: null,
  message: '',
  leftOutFor: null,
  errors: [],
  deadlineMs: null,
  wave: 0,
  previous: null,
  offers: state === 'pending' ? 0 : 1,
  flaps: 0,
  refusals: 0,
  kind: '',
  isExcused: false,
  isConnected: true,
  policyRules: null,
  cordon: null,
})
const rollout = (...tasks: Task[]): Rollout => ({
  state: 'planned',
  reason: { code: 'planned' },
  policy: AT_ONCE,
  progress: firstProgress(1, AT_ONCE),
  tasks,
  closed: null,
  isStorageFull: false,
  roomHeldBy: [],
  room: null,
})
/** Its nodes are as its tasks say. */
const started = ({ tasks }: Rollout): RolloutEvent => ({
  kind: 'started',
  nodes: tasks.map(({ nodeId, generation, previous }) => ({
    nodeId,
    settledGeneration: generation,
    isProven: true,
    previous,
  })),
})

type Short =
  | 'offered'
  | 'acked'
  | 'nacked'
  | 'applied'
  | 'wrong'
  | 'confirmed'
  | 'reverted'
  | 'stuck'
  | 'deadline'
  | 'decommissioned'
  | 'superseded'
function event(kind: Short, nodeId = 'a', generation = 7): RolloutEvent {
  switch (kind) {
    case 'nacked':
      return {
        kind,
        nodeId,
        generation,
        code: 'missing_file',
        message: '/srv is missing',
        errors: [],
      }
    case 'applied':
      return { kind, nodeId, generation, digest: DIGEST }
    case 'wrong':
      return { kind: 'applied', nodeId, generation, digest: 'sha256:other' }
    case 'reverted':
    case 'stuck':
      return { kind, nodeId, generation, reason: 'unconfirmed', message: 'no confirmation' }
    case 'superseded':
      return { kind, nodeIds: [nodeId], by: 'rollout_later' }
    case 'decommissioned':
      return { kind, nodeIds: [nodeId] }
    case 'deadline':
      return { kind, nodeId }
    default:
      return { kind, nodeId, generation }
  }
}
const run = (start: Rollout, events: RolloutEvent[]) =>
  events.reduce((state, next) => reduce(state, next).rollout, start)
const on = (nodeId: string, ...kinds: Short[]) => kinds.map((kind) => event(kind, nodeId))
const begun = (...ids: string[]) => {
  const planned = rollout(...ids.map((id) => task(id)))
  return run(planned, [started(planned), ...ids.map((id) => event('offered', id))])
}
const GOOD: Short[] = ['acked', 'applied', 'confirmed']

describe('one task', () => {
  it.each<[TaskState, Short, TaskState]>([
    ['pending', 'offered', 'offered'],
    ['offered', 'acked', 'applying'],
    ['offered', 'nacked', 'nacked'],
    ['offered', 'deadline', 'unreachable'],
    ['offered', 'applied', 'applied'],
    ['unreachable', 'acked', 'applying'],
    ['unreachable', 'nacked', 'nacked'],
    ['unreachable', 'offered', 'unreachable'],
    ['applying', 'applied', 'applied'],
    ['applying', 'wrong', 'applying'],
    ['applying', 'acked', 'applying'],
    ['applying', 'nacked', 'nacked'],
    ['applying', 'deadline', 'applying'],
    ['applying', 'reverted', 'apply_reverted'],
    ['applying', 'stuck', 'apply_stuck'],
    ['applied', 'confirmed', 'done'],
    ['applied', 'nacked', 'applied'],
    ['applied', 'acked', 'applied'],
    ['applied', 'reverted', 'apply_reverted'],
    ['done', 'acked', 'done'],
    ['done', 'nacked', 'done'],
    ['done', 'reverted', 'apply_reverted'],
    ['done', 'decommissioned', 'done'],
    ['nacked', 'acked', 'nacked'],
    ['nacked', 'confirmed', 'nacked'],
    ['apply_reverted', 'stuck', 'apply_stuck'],
    ['apply_reverted', 'confirmed', 'apply_reverted'],
    ['offered', 'decommissioned', 'skipped'],
    ['done', 'superseded', 'done'],
    ['unreachable', 'superseded', 'skipped'],
    ['applied', 'superseded', 'skipped'],
    ['skipped', 'acked', 'skipped'],
  ])('%s, after %s, is %s', (from, kind, to) => {
    const { tasks } = reduce({ ...rollout(task('a', from)), state: 'running' }, event(kind)).rollout
    expect(tasks[0]?.state).toBe(to)
  })

  it('is awaited for as long as its next step may take', () => {
    let state = begun('a')
    const deadlines = GOOD.map((kind) => {
      const before = state.tasks[0]?.deadlineMs
      state = reduce(state, event(kind)).rollout
      return before
    })
    expect(deadlines).toEqual([DEADLINES.ackMs, DEADLINES.applyMs, DEADLINES.confirmMs])
    expect(state.tasks[0]?.deadlineMs).toBeNull()
  })

  it('is awaited anew after a time in which nobody could be heard', () => {
    const late = { ...task('late', 'applying'), deadlineMs: 0 }
    const good = ['offered', 'acked', 'applied'] as const
    good.forEach((_, i) => {
      const reached = run(begun('a'), on('a', ...good.slice(1, i + 1)))
      const tasks = [
        ...reached.tasks.map((t) => ({ ...t, deadlineMs: 3 })),
        late,
        task('b', 'done'),
      ]
      const before = { ...reached, tasks }
      const { rollout: after, effects, transitions } = reduce(before, { kind: 'heard-again' })
      const whole = [DEADLINES.ackMs, DEADLINES.applyMs, DEADLINES.confirmMs][i] ?? 0
      expect(after.tasks.map((t) => t.deadlineMs)).toEqual([
        whole + RECONCILIATION_GRACE_MS,
        0,
        null,
      ])
      expect({ ...after, tasks: [] }).toEqual({ ...before, tasks: [] })
      expect([...effects, ...transitions]).toEqual([])
    })
  })

  it('has a grace that a node with the longest back-off can meet', () => {
    const LONGEST_BACK_OFF_MS = 30_000 // agent-protocol/README.md, N5
    expect(RECONCILIATION_GRACE_MS).toBeGreaterThan(LONGEST_BACK_OFF_MS + 10_000)
  })

  it('does not hear what was said about another generation', () => {
    const state = begun('a')
    for (const kind of ['acked', 'nacked', 'applied', 'confirmed', 'reverted'] as const) {
      expect(reduce(state, event(kind, 'a', 6)).rollout).toEqual(state)
    }
  })

  it('passes through every state on its way, each of them recorded', () => {
    const passed = GOOD.reduce<{ state: Rollout; to: string[] }>(
      ({ state, to }, kind) => {
        const { rollout: next, transitions } = reduce(state, event(kind))
        return { state: next, to: [...to, ...transitions.map((t) => t.to)] }
      },
      { state: begun('a'), to: [] },
    )
    expect(passed.to).toEqual([
      'acked',
      'applying',
      'applied',
      'confirmed',
      'healthy',
      'done',
      'succeeded',
    ])
  })
})

describe('a rollout', () => {
  it('offers to every node that has to change, and runs', () => {
    const planned = rollout(task('a'), task('b', 'done'))
    const { rollout: state, effects } = reduce(planned, started(planned))
    expect(effects).toEqual([{ kind: 'offer', nodeId: 'a' }])
    expect(worded(state)).toMatchObject({
      state: 'running',
      reason: '1 of 2 nodes have the version; waiting for a.',
    })
  })

  it('succeeds at once when no node has to change', () => {
    const planned = rollout(task('a', 'done'))
    const { rollout: state, effects } = reduce(planned, started(planned))
    expect(state.state).toBe('succeeded')
    expect(effects).toEqual([{ kind: 'release' }, { kind: 'release-leases' }])
  })

  it('succeeds when the last node is done', () => {
    const state = run(begun('a', 'b'), on('a', ...GOOD))
    expect(state.state).toBe('running')
    expect(worded(run(state, on('b', ...GOOD)))).toMatchObject({
      state: 'succeeded',
      reason: 'All 2 nodes have the version.',
    })
  })

  it('pauses when a node refuses, and says which, why and what to do', () => {
    const state = run(begun('a', 'b'), [...on('a', 'nacked'), ...on('b', ...GOOD)])
    expect(state.state).toBe('paused')
    expect(tellReason(state.reason)).toBe(
      'a refused the version (missing_file): /srv is missing. Resume goes on without it. Revert takes back what was changed, freeze ends the rollout as it is.',
    )
  })

  it('pauses when a node went back, even after it was done', () => {
    expect(run(begun('a', 'b'), [...on('a', ...GOOD), ...on('a', 'reverted')]).state).toBe('paused')
  })

  it('succeeds without a node out of reach, which takes the version when it returns', () => {
    let state = run(begun('a', 'b'), [...on('a', ...GOOD), ...on('b', 'deadline')])
    expect(worded(state)).toMatchObject({
      state: 'succeeded',
      reason: '1 of 2 nodes have the version; b will take it when reached.',
    })
    state = run(state, on('b', ...GOOD))
    expect(state.state).toBe('succeeded')
    expect(state.tasks[1]?.state).toBe('done')
  })

  it('does not call a version good that no node has taken', () => {
    let state = run(begun('a', 'b'), [...on('a', 'deadline'), ...on('b', 'deadline')])
    expect(state.state).toBe('paused')
    state = run(state, on('a', 'acked'))
    expect(state.state).toBe('running')
    expect(run(state, on('a', 'applied', 'confirmed')).state).toBe('succeeded')
  })

  it('pauses when a node falls silent halfway, and goes on when it speaks', () => {
    let state = run(begun('a'), on('a', 'acked', 'deadline'))
    expect(state).toMatchObject({ state: 'paused' })
    expect(tellReason(state.reason)).toContain('a: no result within 30 s')
    state = run(state, on('a', 'applied'))
    expect(state.state).toBe('running')
  })

  it('is frozen by an operator for ever, while its nodes go on', () => {
    let state = run(begun('a', 'b', 'c'), [...on('a', 'nacked'), ...on('b', 'acked')])
    const frozen = reduce(state, { kind: 'freeze', actor: 'ana' })
    state = frozen.rollout
    expect(state.state).toBe('frozen')
    expect(tellReason(state.reason)).toContain('0 of 3 nodes have the version')
    expect(tellReason(state.reason)).toContain('b had begun to apply it')
    state = run(state, [...on('b', ...GOOD), ...on('c', ...GOOD)])
    expect(state.state).toBe('frozen')
    expect(state.tasks.map((t) => t.state)).toEqual(['nacked', 'done', 'skipped'])
    expect(frozen.effects).toEqual([
      { kind: 'withdraw', nodeId: 'c', generation: 7 },
      { kind: 'release-leases' },
    ])
    expect(frozen.transitions[0]).toMatchObject({ nodeId: 'c', from: 'offered', to: 'skipped' })
    expect(reduce(state, { kind: 'freeze', actor: 'ana' }).transitions).toEqual([])
  })
})

describe('any run of events', () => {
  const KINDS: Short[] = [
    'offered',
    'acked',
    'nacked',
    'applied',
    'wrong',
    'confirmed',
    'reverted',
    'stuck',
    'deadline',
    'decommissioned',
    'superseded',
  ]

  it('never takes a task back, never leaves an end, and gives its nodes free exactly once', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed)
      const ids = ['a', 'b', 'c'].slice(0, 1 + Math.floor(random() * 3))
      const good = random() < 0.5
      let state = begun(...ids)
      let freed = 0
      for (let i = 0; i < 40; i++) {
        const kinds = good
          ? KINDS.filter((k) => !['nacked', 'reverted', 'stuck'].includes(k))
          : KINDS
        const kind = kinds[Math.floor(random() * kinds.length)] ?? 'acked'
        const id = ids[Math.floor(random() * ids.length)] ?? 'a'
        const next: RolloutEvent =
          random() < 0.02
            ? { kind: 'freeze', actor: 'ana' }
            : event(kind, id, random() < 0.1 ? 6 : 7)
        const before = state
        const outcome = reduce(state, next)
        state = outcome.rollout
        freed += outcome.effects.filter((effect) => effect.kind === 'release-leases').length
        for (const [k, t] of state.tasks.entries()) {
          expect(rankOf(t.state)).toBeGreaterThanOrEqual(
            rankOf(before.tasks[k]?.state ?? 'pending'),
          )
        }
        if (isTerminal(before.state)) expect(state.state, `seed ${seed}`).toBe(before.state)
        if (before.state !== state.state) {
          expect(outcome.transitions).toContainEqual(
            expect.objectContaining({ nodeId: null, from: before.state, to: state.state }),
          )
        }
        expect(tellReason(state.reason)).not.toBe('')
        expect(freed).toBe(isTerminal(state.state) ? 1 : 0)
      }
    }
  })

  it('ends or pauses once every node has answered or overrun its time', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed)
      const ids = ['a', 'b', 'c', 'd']
      let state = begun(...ids)
      for (const id of ids) {
        const path = random() < 0.7 ? GOOD : KINDS.slice(1)
        for (const kind of path.slice(0, Math.floor(random() * (path.length + 1)))) {
          state = reduce(state, event(kind, id)).rollout
        }
      }
      for (const id of ids) state = reduce(state, event('deadline', id)).rollout
      expect(['succeeded', 'paused'], `seed ${seed}`).toContain(state.state)
    }
  })
})
