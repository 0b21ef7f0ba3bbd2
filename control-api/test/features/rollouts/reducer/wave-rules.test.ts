// SPDX-License-Identifier: MIT
// The reducer, wave by wave: single promises, where the simulator has all of them at once.

import { describe, expect, it } from 'vitest'
import { whyNot } from '../../../../src/features/rollouts/reducer/commands.ts'
import {
  AT_ONCE,
  firstProgress,
  type Policy,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import { mayKeep, reduce } from '../../../../src/features/rollouts/reducer/rules.ts'
import type { OnFailure, Verdict } from '../../../../src/features/rollouts/shapes/schema.ts'
import { tellReason } from '../../../../src/features/rollouts/words/reasons.ts'

const CLOSED = { opens: null, timeZone: 'UTC' }
const NEW = 'sha256:new'
const OLD = { generation: 3, digest: 'sha256:old' }
const task = (nodeId: string, wave: number, change: Partial<Task> = {}): Task => ({
  nodeId,
  nodeName: nodeId,
  wave,
  state: 'pending',
  generation: null,
  digest: NEW,
  previous: OLD,
  code: null,
  message: '',
  leftOutFor: null,
  errors: [],
  deadlineMs: null,
  offers: 0,
  flaps: 0,
  refusals: 0,
  kind: '',
  policyRules: null,
  isExcused: false,
  isConnected: true,
  cordon: null,
  ...change,
})
const POLICY: Policy = {
  ...AT_ONCE,
  maxParallel: 2,
  blastBudget: 4,
  minHealthyMs: 30_000,
  soakMs: 60_000,
  maxSoakMs: 120_000,
  progressDeadlineMs: 600_000,
  maxFlaps: 1,
  onFailure: 'revert',
}
const rollout = (tasks: Task[], policy: Partial<Policy> = {}): Rollout => {
  const whole = { ...POLICY, ...policy }
  const waves = Math.max(...tasks.map(({ wave }) => wave)) + 1
  return {
    state: 'planned',
    reason: { code: 'planned' },
    policy: whole,
    progress: firstProgress(waves, whole),
    tasks,
    room: null,
    closed: null,
    isStorageFull: false,
    roomHeldBy: [],
  }
}
/** Offers are made as they are asked for, with generation 7 or, on the way back, 9. */
function run(state: Rollout, ...events: RolloutEvent[]): Rollout {
  return events.reduce((before, event) => {
    const { rollout: after, effects } = reduce(before, event)
    return effects.reduce((now, effect) => {
      if (effect.kind !== 'offer' && effect.kind !== 'give-back') return now
      const generation = effect.kind === 'offer' ? 7 : 9
      return reduce(now, { kind: 'offered', nodeId: effect.nodeId, generation }).rollout
    }, after)
  }, state)
}
/** Its nodes are as its tasks say. */
const start = (planned: Rollout): Rollout => {
  const nodes = planned.tasks.map(({ nodeId, generation, previous }) => ({
    nodeId,
    settledGeneration: generation,
    isProven: true,
    previous,
  }))
  return run(planned, { kind: 'started', nodes })
}
const keeps = (nodeId: string, generation = 7, digest = NEW): RolloutEvent[] => [
  { kind: 'acked', nodeId, generation },
  { kind: 'applied', nodeId, generation, digest },
  { kind: 'confirmed', nodeId, generation },
]
const overrun = (nodeId: string): RolloutEvent => ({ kind: 'deadline', nodeId })
const passes = (ms: number): RolloutEvent => ({ kind: 'elapsed', ms })
const states = ({ tasks }: Rollout) => tasks.map(({ state }) => state)
const begun = (policy: Partial<Policy> = {}) =>
  start(rollout([task('a', 0), task('b', 1), task('c', 1)], policy))
/** a has kept it and was well for its time. */
const soaking = (policy: Partial<Policy> = {}) => run(begun(policy), ...keeps('a'), overrun('a'))

describe('a wave', () => {
  it('is offered alone, watched, and followed by the next', () => {
    const first = begun()
    expect(states(first)).toEqual(['offered', 'pending', 'pending'])
    expect(tellReason(first.reason)).toBe(
      'Wave 1 of 2: 0 of 3 nodes have the version; waiting for a.',
    )
    const watched = soaking()
    expect(watched.progress).toMatchObject({ wave: 0, phase: 'soaking' })
    expect(states(run(watched, passes(59_000)))).toEqual(['healthy', 'pending', 'pending'])
    expect(states(run(watched, passes(60_000)))).toEqual(['done', 'offered', 'offered'])
  })

  it('begins its soak anew when nobody could be heard', () => {
    const late = run(soaking(), passes(59_000), { kind: 'heard-again' }, passes(59_000))
    expect(states(late)).toEqual(['healthy', 'pending', 'pending'])
    expect(states(run(late, passes(1_000)))).toEqual(['done', 'offered', 'offered'])
  })

  it('does not soak while one of its nodes is away', () => {
    const watched = soaking()
    const away = { ...watched, tasks: watched.tasks.map((t) => ({ ...t, isConnected: false })) }
    const paused = run(away, { kind: 'disconnected', nodeId: 'a' }, passes(90_000))
    expect(paused).toMatchObject({ state: 'paused', progress: { soakedMs: 0 } })
    expect(tellReason(paused.reason)).toContain('a took the version and is not connected')
  })

  it('leaves a node that is not there for the end', () => {
    const away = start(
      rollout([task('a', 0), task('b', 1, { isConnected: false })], { maxUnreachablePercent: 0 }),
    )
    const events = [...keeps('a'), overrun('a'), passes(60_000), overrun('b')]
    const paused = run(away, ...events)
    expect(paused.state).toBe('paused')
    expect(tellReason(paused.reason)).toContain('b cannot be reached: more than 0 % of the nodes')
    const lenient = { ...away, policy: { ...away.policy, maxUnreachablePercent: 50 } }
    const ended = run(lenient, ...events)
    expect(ended).toMatchObject({ state: 'succeeded', tasks: [{}, { wave: 2, generation: null }] })
    const returned = { ...ended, tasks: ended.tasks.map((t) => ({ ...t, isConnected: true })) }
    expect(states(run(returned, { kind: 'connected', nodeId: 'b' }))).toEqual(['done', 'offered'])
  })
})

describe('a failed gate', () => {
  const GATED: Partial<Policy> = { gates: [{ metric: 'errors4xx', max: 0.02, onFail: 'pause' }] }
  const judged = (verdict: 'fail' | 'inconclusive' | 'pass', onFail: OnFailure): RolloutEvent => ({
    ...{ kind: 'evaluated', wave: 0, verdict, onFail, message: 'the share of 4xx' },
  })
  const watchedNode = ({ tasks }: Rollout) => ({ state: tasks[0]?.state, code: tasks[0]?.code })

  it('stays with the nodes it was found on, whatever is measured while it is held', () => {
    const held = run(soaking(GATED), judged('fail', 'pause'))
    expect(watchedNode(held)).toEqual({ state: 'healthy', code: 'gate_failed' })
    for (const verdict of ['inconclusive', 'pass'] as const) {
      expect(watchedNode(run(held, judged(verdict, 'pause'))).code).toBe('gate_failed')
    }
    const anew = run(held, { kind: 'resume', actor: 'ana' })
    expect(watchedNode(anew).code).toBe('gate_failed')
    expect(watchedNode(run(anew, judged('pass', 'pause'))).code).toBeNull()
  })

  it('leaves nobody done when the rollout is frozen, by itself or by hand', () => {
    const unwell = { state: 'unhealthy', code: 'gate_failed' }
    expect(watchedNode(run(soaking(GATED), judged('fail', 'freeze')))).toEqual(unwell)
    const held = run(soaking(GATED), judged('fail', 'pause'))
    expect(watchedNode(run(held, { kind: 'freeze', actor: 'ana' }))).toEqual(unwell)
  })

  it('that somebody skips is one no longer', () => {
    const held = run(soaking(GATED), judged('fail', 'pause'))
    const skipped = run(held, { kind: 'skip-gate', actor: 'ana', why: 'known' })
    expect(watchedNode(skipped)).toEqual({ state: 'done', code: null })
  })
})

describe('a full disk', () => {
  const full = (state: Rollout, isStorageFull = true): Rollout => ({ ...state, isStorageFull })
  const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }

  it('holds what is under way, until somebody resumes it with room again', () => {
    const held = run(full(soaking()), { kind: 'storage-full' })
    expect(held.state).toBe('paused')
    expect(tellReason(held.reason)).toMatch(
      /^The disk of the control plane was full.* once there is room again/,
    )
    expect(whyNot(held, 'resume')).toContain('make room, then resume')
    const waited = run(held, resume, passes(700_000))
    expect(waited).toMatchObject({ state: 'paused', progress: { soakedMs: 0 } })
    const empty = full(waited, false)
    expect(run(empty, passes(60_000)).state).toBe('paused')
    expect(states(run(empty, resume, passes(60_000)))).toEqual(['done', 'offered', 'offered'])
  })

  it('keeps what begins or is skipped meanwhile from being offered', () => {
    const planned = full(rollout([task('a', 0), task('b', 1)]))
    expect(start(planned)).toMatchObject({ state: 'paused', tasks: [{ offers: 0 }, { offers: 0 }] })
    const skip: RolloutEvent = { kind: 'skip-gate', actor: 'ana', why: 'seen' }
    expect(states(run(full(soaking()), skip))).toEqual(['done', 'pending', 'pending'])
  })

  it('lets who waits for a window wait for that alone', () => {
    const policy = { soakMs: 0, minHealthyMs: 0 }
    const waits = run({ ...begun(policy), closed: CLOSED }, ...keeps('a'))
    expect(waits).toMatchObject({ state: 'paused', progress: { phase: 'waiting' } })
    const held = run(full(waits), { kind: 'storage-full' })
    expect(held.progress.hold).toBeNull()
    expect(run({ ...held, closed: null }, passes(1_000)).progress.hold?.kind).toBe('storage_full')
  })

  it('leaves who held it before the one to ask', () => {
    const byHand = run(soaking(), { kind: 'pause', actor: 'ana', why: 'lunch' })
    expect(tellReason(run(full(byHand), { kind: 'storage-full' }).reason)).toContain(
      'ana paused it: lunch',
    )
  })
})

describe('want of evidence', () => {
  const gates: Policy['gates'] = [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }]
  const wanting = (policy: Partial<Policy>) =>
    run(soaking({ gates, maxSoakMs: 60_000, ...policy }), passes(60_000))

  it('pauses it, and says when it will not wait any longer', () => {
    const paused = wanting({ progressDeadlineMs: 600_000, onFailure: 'revert' })
    expect(paused).toMatchObject({ state: 'paused', progress: { hold: { kind: 'gate_no_data' } } })
    expect(tellReason(paused.reason)).toMatch(/Left alone, it goes back once .* for 600 s\.$/)
    expect(run(paused, passes(600_000)).state).toBe('reverting')
  })

  it('waits for ever when nothing is to follow', () => {
    const paused = wanting({ progressDeadlineMs: null, onFailure: 'revert' })
    expect(tellReason(paused.reason)).not.toContain('Left alone')
    expect(run(paused, passes(86_400_000)).state).toBe('paused')
  })

  describe('that the order takes for no reason to wait', () => {
    const patient = soaking({ gates, maxSoakMs: 120_000, onNoData: 'continue' })
    const said = (verdict: Verdict, silent: boolean = false): RolloutEvent => ({
      ...{ kind: 'evaluated', wave: 0, onFail: 'revert', verdict, message: 'it says so' },
      ...(silent && { silent: [{ id: 'a', name: 'a' }] }),
    })
    const lateWith = (...events: RolloutEvent[]) =>
      run(run(patient, passes(60_000)), ...events, passes(60_000))

    it('is waited for until its time, and says that it goes on then', () => {
      const waiting = run(patient, passes(60_000))
      expect(waiting).toMatchObject({ state: 'running', progress: { wave: 0 } })
      expect(tellReason(waiting.reason)).toContain(
        'it goes on when nothing speaks against it after 120 s',
      )
      expect(lateWith()).toMatchObject({ state: 'running', progress: { wave: 1 } })
      expect(lateWith(said('no_data'))).toMatchObject({ state: 'running', progress: { wave: 1 } })
    })

    it('holds all the same who is unclear, who measures nothing, and takes back who fails', () => {
      const held = (kind: string) => ({ state: 'paused', progress: { hold: { kind } } })
      expect(lateWith(said('inconclusive'))).toMatchObject(held('gate_inconclusive'))
      expect(lateWith(said('no_data', true))).toMatchObject(held('gate_no_data'))
      expect(lateWith(said('fail')).state).toBe('reverting')
    })
  })
})

describe('health', () => {
  it('is continuous: who falls away begins anew, and does so too often is ill', () => {
    const kept = run(begun(), ...keeps('a'))
    const once = run(kept, { kind: 'disconnected', nodeId: 'a' })
    expect(once.tasks[0]).toMatchObject({ state: 'confirmed', deadlineMs: null, flaps: 1 })
    const back = run(once, { kind: 'connected', nodeId: 'a' })
    expect(back.tasks[0]?.deadlineMs).toBe(30_000)
    const twice = run(back, { kind: 'restarted', nodeId: 'a' })
    expect(twice).toMatchObject({ state: 'reverting', tasks: [{ state: 'reverting' }, {}, {}] })
    expect(tellReason(twice.reason)).toContain('a is not well with the version (flapping)')
  })
})

it('tells of who is ill what was measured, and no name of a gate', () => {
  const message = '66 of 66 answers of a are 5xx'
  const found: RolloutEvent = { kind: 'ill', nodeId: 'a', gate: 'errors5xx', message }
  const { reason } = run(begun(), ...keeps('a'), found)
  expect(tellReason(reason)).toContain(`a is not well with the version: ${message}.`)
})

describe('the progress deadline', () => {
  it('begins anew with one more healthy node, and with nothing else', () => {
    const waiting = run(begun(), passes(500_000), ...keeps('a'))
    expect(waiting.progress.progressLeftMs).toBe(100_000)
    const flapped = run(waiting, { kind: 'disconnected', nodeId: 'a' })
    expect(flapped.progress.progressLeftMs).toBe(100_000)
    expect(run(waiting, overrun('a')).progress.progressLeftMs).toBe(600_000)
  })

  it('stands still only while somebody has paused it', () => {
    const paused = run(begun(), { kind: 'pause', actor: 'ana', why: '' }, passes(900_000))
    expect(paused.state).toBe('paused')
    expect(paused.progress.progressLeftMs).toBe(600_000)
    expect(run(begun(), passes(600_000)).state).toBe('reverted')
  })

  it('is longer by the time nodes need to come back', () => {
    const { progress } = run(begun(), { kind: 'heard-again' })
    expect(progress.progressLeftMs).toBe(600_000 + RECONCILIATION_GRACE_MS)
  })
})

describe('after a time in which nobody could be heard', () => {
  const gone = (state: Rollout): Rollout => ({
    ...state,
    tasks: state.tasks.map((one) => ({ ...one, isConnected: false })),
  })
  const there = (state: Rollout, nodeId: string): Rollout => ({
    ...state,
    tasks: state.tasks.map((one) => (one.nodeId === nodeId ? { ...one, isConnected: true } : one)),
  })
  const anew: RolloutEvent = { kind: 'heard-again' }

  it('it waits for the nodes under way, and goes on by itself when they are back', () => {
    const waits = run(gone(soaking()), anew, passes(90_000))
    expect(waits).toMatchObject({ state: 'paused', progress: { soakedMs: 0 } })
    expect(tellReason(waits.reason)).toMatch(
      /^The control plane was away, .* heard again: a\. It goes on/,
    )
    const back = run(there(waits, 'a'), { kind: 'connected', nodeId: 'a' })
    expect(back).toMatchObject({ state: 'running', progress: { hold: null } })
    expect(states(run(there(there(back, 'b'), 'c'), passes(60_000)))[0]).toBe('done')
  })

  it('resume goes on without those that were not heard', () => {
    const waits = run(gone(soaking()), anew)
    const resumed = run(there(there(waits, 'b'), 'c'), { kind: 'resume', actor: 'ana' })
    expect(resumed.tasks[0]).toMatchObject({ state: 'healthy', isExcused: true })
    expect(states(run(resumed, passes(60_000)))).toEqual(['healthy', 'offered', 'pending'])
    const proven = run(resumed, ...keeps('b'), overrun('b'), passes(60_000))
    expect(states(proven)).toEqual(['done', 'done', 'offered'])
  })

  it('who was offered it and does not answer in time is out of reach, and not waited for', () => {
    const waits = run(gone(begun()), anew)
    expect(waits.state).toBe('paused')
    const late = run(waits, overrun('a'))
    expect(late.tasks[0]).toMatchObject({ state: 'unreachable', generation: null })
    expect(tellReason(late.reason)).not.toContain('The control plane was away')
  })

  it('nothing is waited for where nobody was under way, or somebody else had paused it', () => {
    const paused = run(soaking(), { kind: 'pause', actor: 'ana', why: '' })
    expect(tellReason(run(gone(paused), anew).reason)).toContain('ana paused it')
    expect(run(begun(), anew).state).toBe('running')
  })
})

describe('a version that nobody proved', () => {
  const effectsOf = (state: Rollout, event: RolloutEvent) =>
    reduce(state, event).effects.map(({ kind }) => kind)
  const gone = (nodeId: string): RolloutEvent => ({ kind: 'decommissioned', nodeIds: [nodeId] })
  const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }
  const refuses: RolloutEvent = {
    ...{ kind: 'nacked', nodeId: 'a', generation: 7 },
    ...{ code: 'port_in_use', message: 'no', errors: [] },
  }

  it('is not released when the last of its nodes are decommissioned while out of reach', () => {
    const away = { isConnected: false }
    const planned = start(rollout([task('a', 0, away), task('b', 1, away)]))
    const paused = run(planned, overrun('a'), overrun('b'), gone('a'))
    expect(paused.state).toBe('paused')
    expect(effectsOf(paused, gone('b'))).toEqual(['release-leases'])
    const ended = run(paused, gone('b'))
    expect(ended.state).toBe('cancelled')
    expect(tellReason(ended.reason)).toBe(
      'Nothing is proven: a, b are gone. New nodes go on getting what was released before.',
    )
  })

  it('is not released by a rollout at once either, nor by one without nodes', () => {
    const atOnce = start({ ...rollout([task('a', 0)], AT_ONCE) })
    expect(run(atOnce, gone('a')).state).toBe('cancelled')
    const empty = { ...rollout([task('a', 0)]), tasks: [] }
    const { rollout: ended, effects } = reduce(empty, { kind: 'started', nodes: [] })
    expect([ended.state, effects]).toEqual(['cancelled', [{ kind: 'release-leases' }]])
    expect(tellReason(ended.reason)).toContain('there was no node to change')
  })

  it('is not released when an operator went on without all that got it', () => {
    const paused = run(start(rollout([task('a', 0)])), refuses)
    expect(paused.state).toBe('paused')
    expect(effectsOf(paused, resume)).toEqual(['release-leases'])
    expect(tellReason(run(paused, resume).reason)).toContain('an operator went on without a')
  })

  it('is, when who proved it is decommissioned afterwards', () => {
    const proven = run(soaking({ maxUnreachablePercent: 100 }), passes(60_000), gone('a'))
    const ended = run(proven, gone('b'), gone('c'))
    expect(ended).toMatchObject({ state: 'succeeded', tasks: [{ state: 'done' }, {}, {}] })
  })
})

describe('who stands in', () => {
  const isThere = (state: Rollout, ...ids: string[]): Rollout => ({
    ...state,
    tasks: state.tasks.map((one) => ({ ...one, isConnected: ids.includes(one.nodeId) })),
  })
  const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }
  const four = (policy: Partial<Policy> = {}) =>
    rollout([task('a', 0), task('b', 1), task('c', 1), task('d', 1)], policy)

  it('for an absent canary is the next node that is there, and the sentence says which', () => {
    const after = run(start(isThere(four(), 'c', 'd')), overrun('a'))
    expect(after.state).toBe('running')
    expect(states(after)).toEqual(['unreachable', 'pending', 'offered', 'pending'])
    expect(tellReason(after.reason)).toContain('Wave 1 of 2: c takes the place of a.')
    const proven = run(after, ...keeps('c'), overrun('c'))
    expect(states(proven)).toEqual(['unreachable', 'pending', 'healthy', 'pending'])
  })

  it('for a canary in conflict is one node, whom resume sends it to, not all', () => {
    const conflict: RolloutEvent = {
      ...{ kind: 'drifted', nodeId: 'a', generation: 7, digest: 'sha256:local' },
    }
    const paused = run(start(four()), conflict)
    expect(paused).toMatchObject({ state: 'paused', tasks: [{ code: 'conflict' }, {}, {}, {}] })
    const resumed = run(paused, resume)
    expect(states(resumed)).toEqual(['nacked', 'offered', 'pending', 'pending'])
    expect(resumed.progress.wave).toBe(0)
  })

  it('for a canary that is decommissioned while it is watched proves it anew', () => {
    const gates: Policy['gates'] = [{ metric: 'errors5xx', max: 0.01, onFail: 'revert' }]
    for (const policy of [{}, { gates }]) {
      const watched = run(start(four(policy)), ...keeps('a'), overrun('a'), passes(59_000))
      const after = run(watched, { kind: 'decommissioned', nodeIds: ['a'] }, passes(2_000))
      expect(states(after)).toEqual(['skipped', 'offered', 'pending', 'pending'])
      expect(after.progress).toMatchObject({ wave: 0, phase: 'dispatching', soakedMs: 0 })
    }
  })

  it('for two canaries that are decommissioned at once is one node, and the version is proved anew', () => {
    const two = rollout([task('a', 0), task('b', 0), task('c', 1), task('d', 1)])
    const watched = run(
      ...[start(two), ...keeps('a'), ...keeps('b')],
      ...[overrun('a'), overrun('b'), passes(59_000)],
    )
    expect(states(watched)).toEqual(['healthy', 'healthy', 'pending', 'pending'])
    const after = run(watched, { kind: 'decommissioned', nodeIds: ['a', 'b'] }, passes(2_000))
    expect(states(after)).toEqual(['skipped', 'skipped', 'offered', 'pending'])
    expect(after.progress).toMatchObject({ wave: 0, phase: 'dispatching', soakedMs: 0 })
  })

  it('stands in for a later wave, too', () => {
    const tasks = [task('a', 0), task('b', 1), task('c', 2), task('d', 2)]
    const waits = isThere(rollout(tasks, { maxUnreachablePercent: 100 }), 'a', 'c', 'd')
    const second = run(start(waits), ...keeps('a'), overrun('a'), passes(60_000), overrun('b'))
    expect(states(second)).toEqual(['done', 'unreachable', 'offered', 'pending'])
    expect(second.progress.wave).toBe(1)
  })

  it('is the first of those that are away to appear, when nobody is there', () => {
    const nobody = run(start(isThere(four())), overrun('a'))
    expect(tellReason(nobody.reason)).toContain('the next node that is there does: b, c, d')
    const paused = run(nobody, overrun('b'), overrun('c'), overrun('d'))
    expect(paused).toMatchObject({ state: 'paused' })
    expect(tellReason(paused.reason)).toContain('None of 4 nodes could be reached')
    for (const before of [nobody, paused]) {
      const back = run(isThere(before, 'c', 'd'), { kind: 'connected', nodeId: 'd' })
      expect(states(back).filter((state) => state === 'offered')).toHaveLength(1)
      expect(back).toMatchObject({ state: 'running', progress: { wave: 0 } })
    }
  })

  it('waits for the window that the wave it is taken from would wait for', () => {
    const tasks = [task('a', 0), task('b', 1), task('c', 2)]
    const all = { maxUnreachablePercent: 100 }
    const first = run(start(isThere(rollout(tasks, all), 'b', 'c')), overrun('a'))
    const closed = { ...first, closed: CLOSED }
    const waits = run(closed, ...keeps('b'), overrun('b'), passes(60_000))
    expect(waits).toMatchObject({ state: 'paused', progress: { wave: 1, phase: 'waiting' } })
  })
})

describe('resume', () => {
  it('is refused with a sentence where it would change nothing', () => {
    const nobody = start(rollout([task('a', 0, { isConnected: false })]))
    const paused = run(nobody, overrun('a'))
    expect(paused.state).toBe('paused')
    expect(whyNot(paused, 'resume')).toMatch(/^It would change nothing/)
    const byHand = run(begun(), { kind: 'pause', actor: 'ana', why: '' })
    expect(whyNot(byHand, 'resume')).toBeNull()
  })
})

describe('a cordoned node', () => {
  const cordon = { by: 'ana', reason: 'new disk', atMs: 0 }
  const cordoned = (state: Rollout, ...ids: string[]): Rollout => ({
    ...state,
    tasks: state.tasks.map((one) => (ids.includes(one.nodeId) ? { ...one, cordon } : one)),
  })

  it('is passed by when its turn comes; what it was offered before goes on', () => {
    const ended = run(cordoned(begun(), 'a', 'b'), ...keeps('a'), overrun('a'), passes(60_000))
    expect(states(ended)).toEqual(['done', 'skipped', 'offered'])
    expect(ended.tasks[1]).toMatchObject({ code: 'cordoned', message: 'cordoned by ana: new disk' })
    const back = run(ended, { kind: 'revert', actor: 'ana', why: '' })
    expect(back.tasks[0]).toMatchObject({ state: 'reverting', generation: 9 })
  })

  it('is missed no more, before the end and after it', () => {
    const planned = rollout([task('a', 0), task('b', 1, { isConnected: false })])
    const awaited = { ...planned, policy: { ...planned.policy, maxUnreachablePercent: 0 } }
    const events = [...keeps('a'), overrun('a'), passes(60_000), overrun('b')]
    const paused = run(start(awaited), ...events)
    const lenient = { ...planned, policy: { ...planned.policy, maxUnreachablePercent: 50 } }
    const succeeded = run(start(lenient), ...events)
    expect([paused.state, succeeded.state]).toEqual(['paused', 'succeeded'])
    for (const before of [paused, succeeded]) {
      const after = run(cordoned(before, 'b'), { kind: 'cordoned', nodeIds: ['b'] })
      expect(states(after)).toEqual(['done', 'skipped'])
      expect(after.state).toBe('succeeded')
      expect(tellReason(after.reason)).toMatch(
        /^The node has the version\. b was skipped, being cordoned/,
      )
    }
  })

  it('is replaced by one of the next wave when nobody else is to prove the version', () => {
    const planned = cordoned(rollout([task('a', 0), task('b', 1), task('c', 1)]), 'a')
    const first = start(planned)
    expect(states(first)).toEqual(['skipped', 'offered', 'pending'])
    expect(first.tasks.map(({ wave }) => wave)).toEqual([0, 0, 1])
    expect(states(run(first, ...keeps('b'), overrun('b')))).toEqual([
      'skipped',
      'healthy',
      'pending',
    ])
  })
})

describe('the way back', () => {
  it('gives each node what it had, and lets nobody keep what is taken back', () => {
    const applied = run(begun(), ...keeps('a').slice(0, 2))
    expect(mayKeep(applied, { nodeId: 'a', generation: 7 })).toBe(true)
    const turned = run(applied, { kind: 'revert', actor: 'ana', why: '' })
    expect(states(turned)).toEqual(['reverting', 'skipped', 'skipped'])
    expect(mayKeep(turned, { nodeId: 'a', generation: 7 })).toBe(false)
    expect(mayKeep(turned, { nodeId: 'a', generation: 9 })).toBe(true)
    const back = run(turned, ...keeps('a', 9, OLD.digest))
    expect(back).toMatchObject({ state: 'reverted' })
  })

  it('says who is missing, and is whole when they are back', () => {
    const turned = run(soaking(), { kind: 'revert', actor: 'ana', why: 'no' }, overrun('a'))
    expect(turned).toMatchObject({ state: 'revert_incomplete' })
    expect(tellReason(turned.reason)).toContain('ana takes it back: no. 0 nodes')
    expect(tellReason(turned.reason)).toContain('a will go back when reached')
    expect(run(turned, ...keeps('a', 9, OLD.digest)).state).toBe('reverted')
  })

  it('is not taken by itself where there is nothing to go back to', () => {
    const first = rollout([task('a', 0, { previous: null }), task('b', 1, { previous: null })])
    const ill: RolloutEvent = { kind: 'ill', nodeId: 'a', gate: 'errors5xx', message: '5xx' }
    const frozen = run(start(first), ...keeps('a'), ill)
    expect(frozen.state).toBe('frozen')
    expect(tellReason(frozen.reason)).toContain('There is nothing to go back to')
  })

  it('takes no command but freeze', () => {
    const turned = run(soaking(), { kind: 'revert', actor: 'ana', why: '' })
    for (const command of ['pause', 'resume', 'skip-gate', 'revert'] as const) {
      expect(whyNot(turned, command), command).toMatch(/goes back already/)
    }
    expect(whyNot(turned, 'freeze')).toBeNull()
    expect(run(turned, { kind: 'freeze', actor: 'ana' }).state).toBe('frozen')
  })
})
