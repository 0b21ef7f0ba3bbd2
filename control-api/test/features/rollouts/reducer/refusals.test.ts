// SPDX-License-Identifier: MIT
// What refusals, changes on the machine and the farm's budget make of a rollout.

import { describe, expect, it } from 'vitest'
import {
  AT_ONCE,
  firstProgress,
  type Policy,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import { MAX_REFUSALS } from '../../../../src/features/rollouts/reducer/refusals.ts'
import { reduce } from '../../../../src/features/rollouts/reducer/rules.ts'
import { tellReason } from '../../../../src/features/rollouts/words/reasons.ts'
import { wordedTask } from '../worded.ts'

const NEW = 'sha256:new'
const OLD = { generation: 3, digest: 'sha256:old' }
const task = (nodeId: string, change: Partial<Task> = {}): Task => ({
  nodeId,
  nodeName: nodeId,
  wave: 0,
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
  kind: 'Debian · 0.1.0',
  policyRules: null,
  isExcused: false,
  isConnected: true,
  cordon: null,
  ...change,
})
const POLICY: Policy = {
  ...AT_ONCE,
  maxParallel: 3,
  blastBudget: 3,
  onFailure: 'revert',
  soakMs: 60_000,
}
const begun = (
  tasks: Task[],
  room: number | null = null,
  policy: Partial<Policy> = {},
  waves = 1,
): Rollout =>
  run(
    {
      state: 'planned',
      reason: { code: 'planned' },
      policy: { ...POLICY, ...policy },
      progress: firstProgress(waves, POLICY),
      tasks,
      room,
      closed: null,
      isStorageFull: false,
      roomHeldBy: [],
    },
    {
      kind: 'started',
      nodes: tasks.map(({ nodeId, generation, previous }) => ({
        nodeId,
        settledGeneration: generation,
        isProven: true,
        previous,
      })),
    },
  )
/** Offers are made as they are asked for: each node's generation goes up by one from 7 on. */
function run(state: Rollout, ...events: RolloutEvent[]): Rollout {
  return events.reduce((before, event) => {
    const { rollout, effects } = reduce(before, event)
    return effects.reduce((now, effect) => {
      if (effect.kind !== 'offer' && effect.kind !== 'give-back') return now
      const { nodeId } = effect
      const offers = now.tasks.find((one) => one.nodeId === nodeId)?.refusals ?? 0
      const generation = effect.kind === 'offer' ? 7 + offers : 20 + offers
      return reduce(now, { kind: 'offered', nodeId, generation }).rollout
    }, rollout)
  }, state)
}
const first = ({ tasks }: Rollout) => tasks[0]
const refuses = (code: string, generation = 7): RolloutEvent => ({
  kind: 'nacked',
  nodeId: 'a',
  generation,
  code,
  message: 'no',
  errors: [],
})
const due: RolloutEvent = { kind: 'deadline', nodeId: 'a' }
const keeps = (nodeId: string, generation = 7, digest = NEW): RolloutEvent[] => [
  { kind: 'acked', nodeId, generation },
  { kind: 'applied', nodeId, generation, digest },
  { kind: 'confirmed', nodeId, generation },
]

describe('a refusal that may pass', () => {
  it.each(['busy', 'content_missing', 'resource_limit'])('%s is asked again later', (code) => {
    const waits = run(begun([task('a')]), refuses(code))
    expect(waits.state).toBe('running')
    expect(first(waits)).toMatchObject({ state: 'pending', generation: null, deadlineMs: 5_000 })
    expect(first(waits)?.message).toBe('no; it is asked again after 5 s (1 of 5)')
    const again = run(waits, due)
    expect(first(again)).toMatchObject({ state: 'offered', generation: 8, refusals: 1, code: null })
    expect(first(run(again, ...keeps('a', 8)))?.state).toBe('healthy')
  })

  it('waits twice as long each time, and counts as a failure in the end', () => {
    const waits: (number | null | undefined)[] = []
    let state = begun([task('a')])
    for (let i = 0; i < MAX_REFUSALS; i++) {
      state = run(state, refuses('busy', 7 + i))
      waits.push(first(state)?.deadlineMs)
      state = run(state, due)
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000])
    const last = run(state, refuses('busy', 7 + MAX_REFUSALS))
    expect(last).toMatchObject({ state: 'paused', tasks: [{ state: 'nacked', code: 'busy' }] })
  })

  it('is not asked again by a rollout that was ended meanwhile', () => {
    const frozen = run(begun([task('a')]), keeps('a')[0] as RolloutEvent, {
      kind: 'freeze',
      actor: 'ana',
    })
    expect(first(frozen)?.state).toBe('applying')
    expect(first(run(frozen, refuses('resource_limit')))?.state).toBe('skipped')
  })

  it('does not hold up the way back for ever either', () => {
    const back = run(begun([task('a')]), ...keeps('a'), { kind: 'revert', actor: 'ana', why: '' })
    const waits = run(back, refuses('busy', 20))
    expect(first(waits)).toMatchObject({ state: 'reverting', generation: null, deadlineMs: 5_000 })
    const again = run(waits, due)
    expect(first(again)).toMatchObject({ state: 'reverting', generation: 21 })
    expect(run(again, ...keeps('a', 21, OLD.digest)).state).toBe('reverted')
  })
})

describe('any other refusal', () => {
  it.each(['schema', 'semantic', 'missing_file', 'internal'])('%s is final', (code) => {
    const paused = run(begun([task('a')]), refuses(code), due)
    expect(paused).toMatchObject({ state: 'paused', tasks: [{ state: 'nacked', code }] })
  })

  it('that is of the node’s kind says which, and how to leave that out', () => {
    const { reason } = run(begun([task('a'), task('b')]), refuses('unsupported_version'))
    expect(tellReason(reason)).toContain('all of its kind, Debian · 0.1.0 ("excludeKinds"')
    expect(tellReason(run(begun([task('a')]), refuses('semantic')).reason)).not.toContain(
      'excludeKinds',
    )
  })
})

describe('a refusal that is of the node’s kind', () => {
  const OTHER = 'Debian · 0.2.0'
  const one = { maxParallel: 1, maxFailedPercent: 0, soakMs: 0 }
  /** a is offered it, the others wait for their turn. */
  const farm = (policy: Partial<Policy> = one) =>
    begun(
      [task('a'), task('b'), task('c', { kind: OTHER }), task('d', { digest: 'sha256:override' })],
      null,
      policy,
    )
  const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }
  const states = ({ tasks }: Rollout) => tasks.map(({ state }) => state)

  it.each(['schema', 'unsupported_version', 'missing_file'])(
    '%s: no other of it is offered the same text once an operator goes on',
    (code) => {
      const paused = run(farm(), refuses(code))
      expect(states(paused)).toEqual(['nacked', 'pending', 'pending', 'pending'])
      const resumed = run(paused, resume)
      expect(states(resumed)).toEqual(['nacked', 'skipped', 'offered', 'pending'])
      expect(wordedTask(resumed.tasks[1])).toMatchObject({
        code,
        message: 'a, of the same kind, refused the same text',
      })
      const ended = run(resumed, ...keeps('c'), ...keeps('d', 7, 'sha256:override'))
      expect(ended).toMatchObject({ state: 'succeeded' })
      expect(tellReason(ended.reason)).toContain('went on without a, b')
    },
  )

  it('counts whoever is left out as one that refused', () => {
    const tasks = [...'abcdefghij'].map((id) => task(id, { wave: id === 'j' ? 0 : 1 }))
    const kinds = tasks.map((one) => ('ab'.includes(one.nodeId) ? one : { ...one, kind: OTHER }))
    const second = (maxFailedPercent: number) =>
      run(begun(kinds, null, { ...one, maxFailedPercent }, 2), ...keeps('j'))
    const within = run(second(20), refuses('missing_file'))
    expect(states(within).slice(0, 3)).toEqual(['nacked', 'skipped', 'offered'])
    expect(within.state).toBe('running')
    const over = run(second(10), refuses('missing_file'))
    expect(states(over).slice(0, 3)).toEqual(['nacked', 'skipped', 'pending'])
    expect(over.state).toBe('paused')
    expect(tellReason(over.reason)).toContain(
      'Left out, for they would refuse it too: b. Resume goes on',
    )
    expect(states(run(over, resume)).slice(0, 3)).toEqual(['nacked', 'skipped', 'offered'])
  })

  it('does not let what nobody has succeed', () => {
    const resumed = run(begun([task('a'), task('b')], null, one), refuses('schema'), resume)
    expect(states(resumed)).toEqual(['nacked', 'skipped'])
    expect(resumed.state).toBe('cancelled')
    expect(tellReason(resumed.reason)).toContain(
      'Nothing is proven: an operator went on without a, b.',
    )
  })

  it('changes nothing for others when it is of the machine', () => {
    const resumed = run(farm(), refuses('port_in_use'), resume)
    expect(states(resumed)).toEqual(['nacked', 'offered', 'pending', 'pending'])
  })

  it('holds for who returns when the rollout is over, too', () => {
    const isAway = { isConnected: false, kind: OTHER }
    const away = begun([task('b'), task('a', isAway), task('c', isAway)], null, {
      ...one,
      maxUnreachablePercent: 100,
    })
    const late = (nodeId: string): RolloutEvent => ({ kind: 'deadline', nodeId })
    const ended = run(away, ...keeps('b'), late('a'), late('c'))
    expect(ended.state).toBe('succeeded')
    const returns = (state: Rollout, nodeId: string) => {
      const isBack = (one: Task) => one.nodeId === nodeId || one.isConnected
      const tasks = state.tasks.map((one) => ({ ...one, isConnected: isBack(one) }))
      return run({ ...state, tasks }, { kind: 'connected', nodeId })
    }
    const refused = run(returns(ended, 'a'), refuses('missing_file'))
    expect(states(refused)).toEqual(['done', 'nacked', 'skipped'])
    expect(states(returns(refused, 'c'))).toEqual(['done', 'nacked', 'skipped'])
  })
})

describe('a refusal that is of the owner’s policy', () => {
  const one = { maxParallel: 1, maxFailedPercent: 0, soakMs: 0 }
  const states = ({ tasks }: Rollout) => tasks.map(({ state }) => state)
  const resume: RolloutEvent = { kind: 'resume', actor: 'ana' }

  it('leaves out nodes with the same policy and the same text, of whatever kind, and no others', () => {
    const tight = { policyRules: 'tight' }
    const paused = run(
      begun(
        [
          task('a', tight),
          task('b', { ...tight, kind: 'Debian · 0.2.0' }),
          task('c', { policyRules: 'wide' }),
          task('d'),
          task('e', { ...tight, digest: 'sha256:override' }),
        ],
        null,
        one,
      ),
      refuses('policy'),
    )
    expect(states(paused)).toEqual(['nacked', 'pending', 'pending', 'pending', 'pending'])
    expect(tellReason(paused.reason)).toContain('Only the owner of its machine can allow it')
    const resumed = run(paused, resume)
    expect(states(resumed)).toEqual(['nacked', 'skipped', 'offered', 'pending', 'pending'])
    expect(wordedTask(resumed.tasks[1])).toMatchObject({
      code: 'policy',
      message: 'a, whose owner’s policy is the same, refused the same text',
    })
    const override = keeps('e', 7, 'sha256:override')
    const ended = run(resumed, ...keeps('c'), ...keeps('d'), ...override)
    expect(tellReason(ended.reason)).toContain('went on without a, b')
  })

  it('says nothing of others when the node never told its policy', () => {
    const paused = run(begun([task('a'), task('b')], null, one), refuses('policy'))
    expect(states(run(paused, resume))).toEqual(['nacked', 'offered'])
  })
})

describe('a change on the machine', () => {
  const edited = (generation: number | null, digest = 'sha256:mine'): RolloutEvent => ({
    kind: 'drifted',
    nodeId: 'a',
    generation,
    digest,
  })

  it('pauses the rollout, says what runs, and where to compare it', () => {
    const paused = run(begun([task('a')]), ...keeps('a'), edited(null))
    expect(paused).toMatchObject({
      state: 'paused',
      tasks: [{ state: 'nacked', code: 'conflict' }],
    })
    for (const words of ['sha256:mine', NEW, OLD.digest, 'GET /api/v1/nodes/a/drift']) {
      expect(tellReason(paused.reason)).toContain(words)
    }
    const resumed = run(paused, { kind: 'resume', actor: 'ana' }, { kind: 'elapsed', ms: 60_000 })
    expect(tellReason(resumed.reason)).toContain('went on without a')
  })

  it('is none when it runs what it had, or the version', () => {
    const state = begun([task('a')])
    for (const digest of [OLD.digest, NEW]) expect(run(state, edited(null, digest))).toBe(state)
  })

  it('takes an unanswered offer back, so that letting go of it does not bring the version', () => {
    const { effects } = reduce(begun([task('a')]), edited(7))
    expect(effects).toContainEqual({ kind: 'withdraw', nodeId: 'a', generation: 7 })
  })

  it('is not overwritten on the way back: the node refuses, and is named', () => {
    const paused = run(begun([task('a')]), ...keeps('a'), edited(null))
    const back = run(paused, { kind: 'revert', actor: 'ana', why: '' }, edited(20))
    expect(back).toMatchObject({ state: 'revert_incomplete', tasks: [{ state: 'revert_failed' }] })
    expect(tellReason(back.reason)).toContain('a could not go back')
  })
})

describe('the farm’s budget', () => {
  const three = () => [task('a'), task('b'), task('c')]
  const states = ({ tasks }: Rollout) => tasks.map(({ state }) => state)

  it('leaves only the room that others do not need', () => {
    const narrow = begun(three(), 1)
    expect(states(narrow)).toEqual(['offered', 'pending', 'pending'])
    expect(tellReason(narrow.reason)).toContain('2 of them wait for room in the farm')
    const held = run({ ...narrow, roomHeldBy: ['rollout_1', 'rollout_2'] }, { kind: 'room' })
    expect(tellReason(held.reason)).toContain(
      '2 of them wait until rollout_1, rollout_2 leave room in the',
    )
    expect(states(run({ ...narrow, room: 2 }, { kind: 'room' }))).toEqual([
      'offered',
      'offered',
      'pending',
    ])
    expect(states(begun(three(), -1))).toEqual(['pending', 'pending', 'pending'])
    expect(tellReason(begun(three()).reason)).not.toContain('room')
  })

  it('lets one node go back at a time, however little there is', () => {
    const kept = run(begun(three()), ...['a', 'b', 'c'].flatMap((id) => keeps(id)))
    const back = run({ ...kept, room: 0 }, { kind: 'revert', actor: 'ana', why: '' })
    expect(back.tasks.map(({ generation }) => generation)).toEqual([20, null, null])
    const next = run(back, ...keeps('a', 20, OLD.digest))
    expect(next.tasks.map(({ generation }) => generation)).toEqual([20, 20, null])
  })
})

it('a rollout that finds every node with the version has nothing to do', () => {
  const settled = task('a', { state: 'done', generation: 5 })
  const ended = begun([settled, { ...settled, nodeId: 'b' }])
  expect(ended.state).toBe('succeeded')
  expect(tellReason(ended.reason)).toBe('Nothing to do: all 2 nodes have the version already.')
})
