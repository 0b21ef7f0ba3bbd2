// SPDX-License-Identifier: MIT
// What evidence says of a wave of many nodes: decided at once, and shown by so many of them with each event.
import { describe, expect, it } from 'vitest'
import {
  AT_ONCE,
  firstProgress,
  type Policy,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import { reduce } from '../../../../src/features/rollouts/reducer/rules.ts'
import type { OnFailure, Verdict } from '../../../../src/features/rollouts/shapes/schema.ts'

const NEW = 'sha256:new'
const POLICY: Policy = {
  ...{ ...AT_ONCE, maxParallel: 10, soakMs: 60_000, maxSoakMs: 120_000 },
  gates: [{ metric: 'errors4xx', max: 0.02, onFail: 'pause' }],
}
const watched = (nodeId: string, wave = 0): Task => ({
  ...{ nodeId, nodeName: nodeId, wave, state: 'healthy', generation: 7, digest: NEW, offers: 1 },
  ...{ previous: { generation: 3, digest: 'sha256:old' }, deadlineMs: null, code: null },
  ...{ message: '', leftOutFor: null, errors: [], flaps: 0, refusals: 0, kind: '' },
  ...{ policyRules: null, isExcused: false, isConnected: true, cordon: null },
})
const next: Task = { ...watched('next', 1), state: 'pending', generation: null, offers: 0 }
/** Five nodes are watched; an event changes two. */
const soaking = (): Rollout => ({
  ...{ state: 'running', reason: { code: 'planned' }, policy: POLICY, room: null, closed: null },
  progress: { ...firstProgress(2, POLICY), phase: 'soaking' },
  tasks: [...['a', 'b', 'c', 'd', 'e'].map((id) => watched(id)), next],
  ...{ isStorageFull: false, roomHeldBy: [], nodesAtOnce: 2 },
})
const judged = (verdict: Verdict, onFail: OnFailure = 'pause'): RolloutEvent => ({
  ...{ kind: 'evaluated', wave: 0, verdict, onFail, message: 'the share of 4xx' },
})
const ON: RolloutEvent = { kind: 'goes-on' }
const REST = Array<RolloutEvent>(8).fill(ON)
const run = (before: Rollout, ...events: RolloutEvent[]) =>
  events.reduce((now, event) => reduce(now, event).rollout, before)
const codes = ({ tasks }: Rollout) =>
  tasks.map(({ code }) => code && 'x').map((code) => code ?? '-')
const states = ({ tasks }: Rollout) => [...new Set(tasks.map(({ state }) => state))]
const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }

describe('a gate that many nodes fail', () => {
  it('holds the rollout at once, and shows with two nodes an event', () => {
    const held = run(soaking(), judged('fail'))
    expect(held.state).toBe('paused')
    expect(codes(held).join('')).toBe('xx----')
    expect(codes(run(held, ON)).join('')).toBe('xxxx--')
    const all = run(held, ON, ON)
    expect(codes(all).join('')).toBe('xxxxx-')
    expect(all.progress).not.toHaveProperty('marking')
    expect(all.progress).not.toHaveProperty('unfinished')
  })

  it('shows with all, and with none once it passes, when somebody resumes between two parts', () => {
    const resumed = run(soaking(), judged('fail'), resume)
    expect(codes(run(resumed, ...REST)).join('')).toBe('xxxxx-')
    const passed = run(resumed, judged('pass'), ...REST)
    expect(codes(passed).join('')).toBe('------')
    expect(passed.progress).not.toHaveProperty('marking')
  })

  it.each<[string, RolloutEvent[]]>([
    ['by itself', [judged('fail', 'freeze')]],
    ['by hand, between two parts', [judged('fail'), { kind: 'freeze', actor: 'ana' }]],
  ])('leaves nobody done who has not shown it yet, when it is frozen %s', (_, events) => {
    const frozen = run(soaking(), ...events, ...REST)
    expect(frozen.state).toBe('frozen')
    expect(states(frozen)).toEqual(['unhealthy', 'skipped'])
    expect(codes(frozen).join('')).toBe('xxxxx-')
    expect(frozen.progress).not.toHaveProperty('marking')
  })

  it('leaves nobody done either when it is frozen on its way back', () => {
    const frozen = run(
      soaking(),
      judged('fail', 'revert'),
      { kind: 'freeze', actor: 'ana' },
      ...REST,
    )
    expect(frozen.tasks.filter(({ state }) => state === 'done')).toEqual([])
    expect(frozen.progress).not.toHaveProperty('marking')
  })

  it('is not shown by who goes back', () => {
    const back = run(soaking(), judged('fail', 'revert'), ...REST)
    expect(states(back)).toEqual(['reverting', 'skipped'])
    expect(codes(back).join('')).toBe('------')
    expect(back.progress).not.toHaveProperty('marking')
  })

  it('that somebody skips between two parts is one no longer, of nobody', () => {
    const skip: RolloutEvent = { kind: 'skip-gate', actor: 'ana', why: 'known' }
    const skipped = run(soaking(), judged('fail'), skip, ...REST)
    expect(skipped.tasks.slice(0, 5).map(({ state }) => state)).toEqual(Array(5).fill('done'))
    expect(codes(skipped).join('')).toBe('------')
    expect(skipped.progress).not.toHaveProperty('marking')
  })
})

it('who held it by hand before a gate failed does not pass it by resuming', () => {
  const pause: RolloutEvent = { kind: 'pause', actor: 'ana', why: 'lunch' }
  const soaked: RolloutEvent = { kind: 'elapsed', ms: 60_000 }
  const held = run(soaking(), soaked, pause, judged('pass'), judged('fail'), ...REST)
  expect(run(held, resume).progress).toMatchObject({ wave: 0, phase: 'soaking' })
})
