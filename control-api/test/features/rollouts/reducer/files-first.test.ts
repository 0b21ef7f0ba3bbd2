// SPDX-License-Identifier: MIT
// Before the first wave the files of a release go to all nodes.
import { describe, expect, it } from 'vitest'
import { whyNot } from '../../../../src/features/rollouts/reducer/commands.ts'
import { countFiles, type FilesOf } from '../../../../src/features/rollouts/reducer/files-first.ts'
import {
  AT_ONCE,
  type FilesNow,
  firstProgress,
  type Policy,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../../../../src/features/rollouts/reducer/model.ts'
import { reduce } from '../../../../src/features/rollouts/reducer/rules.ts'

const POLICY: Policy = {
  ...{ ...AT_ONCE, maxParallel: 1, filesFirstMs: 60_000, progressDeadlineMs: 90_000 },
}
const task = (nodeId: string, wave: number, change: Partial<Task> = {}): Task => ({
  ...{ nodeId, nodeName: nodeId, wave, state: 'pending', generation: null, digest: 'new' },
  ...{ previous: { generation: 3, digest: 'old' }, deadlineMs: null, code: null, message: '' },
  ...{ leftOutFor: null, errors: [], offers: 0, flaps: 0, refusals: 0, kind: '' },
  ...{ policyRules: null, isExcused: false, isConnected: true, cordon: null, ...change },
})
const TASKS = [task('a', 0), task('b', 1), task('c', 1)]
const rollout = (change: Partial<Rollout> = {}): Rollout => ({
  ...{ state: 'running', reason: { code: 'planned' }, policy: POLICY, room: null, closed: null },
  ...{ progress: firstProgress(2, POLICY), tasks: TASKS, isStorageFull: false, roomHeldBy: [] },
  ...change,
})
type State = 'fetching' | 'held' | 'refused'
const REFUSAL = { code: 'resource_limit', message: 'no room' }
/** A node that is not named cannot. */
const filesOf =
  (states: Record<string, State>, steps = 0): FilesOf =>
  (nodeId) => {
    const state = states[nodeId]
    return state ? { state, error: state === 'refused' ? REFUSAL : null, steps } : null
  }
const now = (states: Record<string, State>, steps = 0): FilesNow =>
  countFiles(TASKS, filesOf(states, steps))

/** Each event with what is known of nodes by then. */
function run(before: Rollout, ...steps: [RolloutEvent, FilesNow | null][]) {
  const offered: string[] = []
  let at = before
  for (const [event, filesNow] of steps) {
    const { rollout: after, effects } = reduce({ ...at, filesNow }, event)
    for (const effect of effects) if (effect.kind === 'offer') offered.push(effect.nodeId)
    at = after
  }
  return { at, offered, phase: at.progress.phase }
}
const elapsed = (ms: number): RolloutEvent => ({ kind: 'elapsed', ms })
const SOME = now({ a: 'held', b: 'fetching', c: 'fetching' })

describe('files first', () => {
  it('offers nobody anything until all hold them or refused', () => {
    const waits = run(rollout(), [elapsed(1000), SOME])
    expect(waits).toMatchObject({ offered: [], phase: 'files', at: { state: 'running' } })
    expect(waits.at.reason).toMatchObject({ code: 'files_first', heldNodes: 1, refusedNodes: 0 })
    const all = now({ a: 'held', b: 'refused', c: 'held' })
    const begun = run(waits.at, [elapsed(1000), all])
    expect(begun).toMatchObject({ offered: ['a'], phase: 'dispatching' })
    expect(begun.at.progress.files?.now).toMatchObject({
      heldNodes: 2,
      refusedNodes: 1,
      refusals: [{ node: { id: 'b', name: 'b' }, errorCode: 'resource_limit', message: 'no room' }],
    })
  })

  it('tells that the first wave has begun', () => {
    const all = now({ a: 'held' })
    const { transitions } = reduce({ ...rollout(), filesNow: all }, elapsed(1000))
    expect(transitions).toContainEqual({
      ...{ nodeId: null, from: 'files', to: 'wave-0', cause: 'elapsed', isWave: true },
    })
  })

  it('waits for nobody who is away or cannot', () => {
    const old = run(rollout(), [elapsed(1000), now({})])
    expect(old).toMatchObject({ offered: ['a'], phase: 'dispatching' })
    const away = [task('a', 0), task('b', 1, { isConnected: false }), task('c', 1)]
    const counted = countFiles(away, filesOf({ a: 'held', b: 'fetching' }))
    expect(counted).toMatchObject({ heldNodes: 1, otherNodes: 2, waiting: { nodes: [] } })
  })

  it('waits before anybody has looked, and begins when nobody came further for its time', () => {
    expect(run(rollout(), [elapsed(59_000), null])).toMatchObject({ phase: 'files' })
    const further = now({ a: 'held', b: 'fetching', c: 'fetching' }, 1)
    const steps: [RolloutEvent, FilesNow][] = [
      [elapsed(1000), SOME],
      [elapsed(59_000), SOME],
      [elapsed(1000), further],
      [elapsed(59_000), further],
    ]
    expect(run(rollout(), ...steps)).toMatchObject({ offered: [], phase: 'files' })
    const over = run(rollout(), ...steps, [elapsed(1000), further])
    expect(over).toMatchObject({ offered: ['a'], phase: 'dispatching' })
    expect(over.at.progress.files?.now?.waiting.nodes).toHaveLength(2)
  })

  it('lets no time of waves pass', () => {
    const { at } = run(
      rollout(),
      [elapsed(50_000), SOME],
      [elapsed(50_000), now({ a: 'fetching' }, 1)],
    )
    expect(at.progress.progressLeftMs).toBe(90_000)
    expect(at.tasks.every(({ deadlineMs }) => deadlineMs === null)).toBe(true)
  })

  it('after a start waits until nodes have been heard', () => {
    const nobody = countFiles(
      TASKS.map((one) => ({ ...one, isConnected: false })),
      filesOf({}),
    )
    const started = run(rollout(), [elapsed(50_000), SOME], [{ kind: 'heard-again' }, nobody])
    expect(started.phase).toBe('files')
    expect(started.at.progress.files).toMatchObject({ stillMs: 0 })
    const heard = run(started.at, [elapsed(RECONCILIATION_GRACE_MS - 1), nobody])
    expect(heard.phase).toBe('files')
    expect(run(heard.at, [elapsed(1), nobody]).phase).toBe('dispatching')
  })

  it('stands while somebody holds it, and its time with it', () => {
    const paused = run(
      rollout(),
      [{ kind: 'pause', actor: 'ana', why: '' }, SOME],
      [elapsed(70_000), now({ a: 'held', b: 'held', c: 'held' }, 3)],
    )
    expect(paused).toMatchObject({ offered: [], phase: 'files', at: { state: 'paused' } })
    const on = run(paused.at, [{ kind: 'resume', actor: 'ana' }, now({ a: 'held' }, 3)])
    expect(on.offered).toEqual(['a'])
  })

  it('is left out by whoever skips it, and never begins once it goes back', () => {
    const waits = run(rollout(), [elapsed(1000), SOME]).at
    expect(whyNot(waits, 'skip-gate')).toBeNull()
    const skipped = run(waits, [{ kind: 'skip-gate', actor: 'ana', why: 'now' }, SOME])
    expect(skipped).toMatchObject({ offered: ['a'], phase: 'dispatching' })
    expect(skipped.at.progress.wave).toBe(0)
    const back = run(
      waits,
      [{ kind: 'revert', actor: 'ana', why: '' }, SOME],
      [elapsed(1000), SOME],
    )
    expect(back).toMatchObject({ offered: [], at: { state: 'reverted' } })
    const frozen = run(waits, [{ kind: 'freeze', actor: 'ana' }, SOME])
    expect(frozen).toMatchObject({ offered: [], at: { state: 'frozen' } })
  })

  it('waits for the window that closed meanwhile', () => {
    const closed = { opens: null, timeZone: 'UTC' }
    const held = run(rollout({ closed }), [elapsed(1000), now({ a: 'held' })])
    expect(held).toMatchObject({ offered: [], phase: 'waiting', at: { state: 'paused' } })
    const opened = run({ ...held.at, closed: null }, [elapsed(1000), null])
    expect(opened).toMatchObject({ offered: ['a'], phase: 'dispatching' })
  })
})
