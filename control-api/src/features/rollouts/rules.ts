// SPDX-License-Identifier: MIT
// The rollout engine's decisions: (state, event) → (state, effects). No clock, no I/O; engine.ts
// stores what comes out and then acts on it.
//
// A rollout of one wave and no gates:
//   running     tasks are under way
//   paused      a node refused, went back or overran its time, or none could be reached; says which
//   succeeded   every node has it, but for those that were out of reach (they take it when they return)
//   frozen      an operator ended it as it is: who has not answered yet is not asked any more
// running and paused follow from the tasks, so a late answer can end a pause; succeeded and frozen
// are for ever. Tasks go on after that: a node that was acknowledged to be applying ends that, and one that was out
// of reach when the rollout succeeded takes the version when it returns.
//
// A task: pending → offered → acked → applying → applied → confirmed → healthy → done
//         offered → unreachable → acked …   offered, acked, applying → nacked
//         any → skipped (decommissioned, superseded by a later rollout, frozen before it answered)
//         applying … done → apply_reverted | apply_stuck
import type { ConfigError } from '../../schema/common.ts'
import type { RolloutState, TaskState } from './schema.ts'

export type Task = {
  nodeId: string
  nodeName: string
  state: TaskState
  generation: number | null
  digest: string
  code: string | null
  message: string
  errors: ConfigError[]
  /** Time left for the node's next step; null: nothing is awaited. 0: overrun. */
  deadlineMs: number | null
}
export type Rollout = { state: RolloutState; reason: string; tasks: Task[] }

export type NodeEvent =
  | { kind: 'offered'; nodeId: string; generation: number }
  | { kind: 'acked'; nodeId: string; generation: number }
  | {
      kind: 'nacked'
      nodeId: string
      generation: number
      code: string
      message: string
      errors: ConfigError[]
    }
  | { kind: 'applied'; nodeId: string; generation: number; digest: string | null }
  | { kind: 'confirmed'; nodeId: string; generation: number }
  | {
      kind: 'reverted' | 'stuck'
      nodeId: string
      generation: number
      reason: string | null
      message: string
    }
  | { kind: 'deadline'; nodeId: string }
  | { kind: 'decommissioned'; nodeId: string }
  /** A later rollout has the node now. */
  | { kind: 'superseded'; nodeId: string; by: string }
export type RolloutEvent =
  | { kind: 'started' }
  | { kind: 'freeze'; actor: string }
  /** For a while nobody could reach us: what is awaited is awaited anew. */
  | { kind: 'heard-again' }
  | NodeEvent

/** What happened, each worth a row in the event log. nodeId null: to the rollout itself. */
export type Transition = { nodeId: string | null; from: string; to: string; cause: string }
export type Effect =
  /** Give the node its assignment; come back with `offered`. */
  | { kind: 'offer'; nodeId: string }
  /** Take the node's assignment back. */
  | { kind: 'withdraw'; nodeId: string; generation: number }
  /** The version proved itself: new nodes get it. */
  | { kind: 'release' }
  /** The rollout ended: its nodes are free for another. */
  | { kind: 'release-leases' }
export type Outcome = { rollout: Rollout; effects: Effect[]; transitions: Transition[] }

/** Relative to the step before; the node gets the same ones with its assignment. */
export const DEADLINES = { ackMs: 10_000, applyMs: 30_000, confirmMs: 60_000 }
/**
 * On top of a step's whole time once we are back: a node that found nobody asks again after at most
 * 5 s (the protocol's rule N5; nodes of earlier builds after 30), gives up a connection that nobody takes after 10 s, and first says hello.
 */
export const RECONCILIATION_GRACE_MS = 45_000

export function reduce(rollout: Rollout, event: RolloutEvent): Outcome {
  if (event.kind === 'started') return start(rollout)
  if (event.kind === 'freeze') return freeze(rollout, event.actor)
  if (event.kind === 'heard-again') return awaitAnew(rollout)
  const task = rollout.tasks.find((candidate) => candidate.nodeId === event.nodeId)
  const path = task ? advance(task, event) : []
  const after = path.at(-1)
  if (!task || !after) return { rollout, effects: [], transitions: [] }
  const tasks = rollout.tasks.map((other) => (other === task ? after : other))
  const steps = [task, ...path]
  const transitions = path.flatMap((next, i): Transition[] => {
    const from = steps[i]?.state ?? next.state
    return from === next.state
      ? []
      : [{ nodeId: task.nodeId, from, to: next.state, cause: event.kind }]
  })
  return settle({ ...rollout, tasks }, event.kind, transitions)
}

function start(rollout: Rollout): Outcome {
  const offers = rollout.tasks
    .filter((task) => task.state === 'pending')
    .map((task): Effect => ({ kind: 'offer', nodeId: task.nodeId }))
  const running = { ...rollout, state: 'running' as const }
  const begun: Transition = { nodeId: null, from: rollout.state, to: 'running', cause: 'started' }
  const settled = settle(running, 'started', [begun])
  return { ...settled, effects: [...offers, ...settled.effects] }
}

function freeze(rollout: Rollout, actor: string): Outcome {
  if (isTerminal(rollout.state)) return { rollout, effects: [], transitions: [] }
  const counts = countTasks(rollout.tasks)
  const applying = rollout.tasks.filter((task) => isOpen(task) && !isUnanswered(task))
  const going = applying.length > 0 ? ` ${names(applying)} had begun to apply it.` : ''
  const reason = `${actor} froze it: ${counts.done} of ${counts.total} nodes have the version, the others keep what they have.${going} A new rollout moves them on.`
  const cause = `freeze by ${actor}`
  const unanswered = rollout.tasks.filter(isUnanswered)
  const tasks = rollout.tasks.map((task) =>
    isUnanswered(task) ? skip(task, 'the rollout was frozen before it answered') : task,
  )
  return {
    rollout: { ...rollout, state: 'frozen', reason, tasks },
    effects: [
      ...unanswered.flatMap(({ nodeId, generation }): Effect[] =>
        generation === null ? [] : [{ kind: 'withdraw', nodeId, generation }],
      ),
      { kind: 'release-leases' },
    ],
    transitions: [
      ...unanswered.map(({ nodeId, state }) => ({ nodeId, from: state, to: 'skipped', cause })),
      { nodeId: null, from: rollout.state, to: 'frozen', cause },
    ],
  }
}

/** Silence while we could not hear says nothing. What had overrun its time before stays overrun. */
function awaitAnew(rollout: Rollout): Outcome {
  const tasks = rollout.tasks.map((task) => {
    const stepMs = STEP_MS[task.state]
    return task.deadlineMs && stepMs
      ? { ...task, deadlineMs: stepMs + RECONCILIATION_GRACE_MS }
      : task
  })
  return { rollout: { ...rollout, tasks }, effects: [], transitions: [] }
}

const STEP_MS: Partial<Record<TaskState, number>> = {
  offered: DEADLINES.ackMs,
  applying: DEADLINES.applyMs,
  applied: DEADLINES.confirmMs,
}

const isUnanswered = ({ state }: Task) =>
  state === 'pending' || state === 'offered' || state === 'unreachable'

const skip = (task: Task, message: string): Task => ({
  ...task,
  state: 'skipped',
  deadlineMs: null,
  code: null,
  message,
  errors: [],
})

/** How far along. An event never takes a task back; failures are the end of the way. */
const RANK: Record<TaskState, number> = {
  pending: 0,
  offered: 1,
  unreachable: 2,
  acked: 3,
  applying: 4,
  applied: 5,
  confirmed: 6,
  healthy: 7,
  done: 8,
  nacked: 9,
  unhealthy: 9,
  apply_reverted: 10,
  apply_stuck: 11,
  reverting: 12,
  reverted: 13,
  revert_failed: 13,
  skipped: 14,
}
export const rankOf = (state: TaskState) => RANK[state]

/** The states the event takes the task through, the last one to stay; none: it changes nothing. */
function advance(task: Task, event: NodeEvent): Task[] {
  const isOther =
    'generation' in event && event.kind !== 'offered' && event.generation !== task.generation
  if (isOther || task.state === 'skipped') return []
  const path = steps(task, event)
  return path.filter((next) => RANK[next.state] > RANK[task.state] || isSameButNoted(task, next))
}

const isSameButNoted = (task: Task, next: Task) =>
  next.state === task.state &&
  (next.message !== task.message || next.deadlineMs !== task.deadlineMs)

function steps(task: Task, event: NodeEvent): Task[] {
  const to = (state: TaskState, deadlineMs: number | null = null): Task => ({
    ...task,
    state,
    deadlineMs,
    code: null,
    message: '',
    errors: [],
  })
  switch (event.kind) {
    case 'offered':
      return [{ ...to('offered', DEADLINES.ackMs), generation: event.generation }]
    case 'acked':
      return [to('acked'), to('applying', DEADLINES.applyMs)]
    case 'nacked': {
      const { code, message, errors } = event
      return RANK[task.state] > RANK.applying ? [] : [{ ...to('nacked'), code, message, errors }]
    }
    case 'applied':
      // What runs is read back; anything else than the version is not "applied", whatever the node calls it.
      return event.digest === task.digest ? [to('applied', DEADLINES.confirmMs)] : []
    case 'confirmed':
      // Without gates a confirmed node is healthy, and with nothing to wait for it is done.
      return [to('confirmed'), to('healthy'), to('done')]
    case 'reverted':
      return [{ ...to('apply_reverted'), code: event.reason, message: event.message }]
    case 'stuck':
      return [{ ...to('apply_stuck'), code: event.reason, message: event.message }]
    case 'deadline':
      return overrun(task)
    case 'decommissioned':
      return RANK[task.state] >= RANK.done ? [] : [skip(task, 'decommissioned')]
    case 'superseded':
      return RANK[task.state] >= RANK.done ? [] : [skip(task, `superseded by ${event.by}`)]
  }
}

/** Silence is no failure of the config. What was acknowledged may have been applied: unknown until it speaks. */
function overrun(task: Task): Task[] {
  if (task.state === 'offered') {
    const message = `did not answer within ${DEADLINES.ackMs / 1000} s; it takes the version when it returns`
    return [{ ...task, state: 'unreachable', deadlineMs: null, message }]
  }
  if (task.state === 'applying' || task.state === 'applied') {
    const [awaited, limitMs] =
      task.state === 'applying'
        ? ['result', DEADLINES.applyMs]
        : ['confirmation', DEADLINES.confirmMs]
    const message = `no ${awaited} within ${limitMs / 1000} s; what it runs is unknown until it speaks`
    return [{ ...task, deadlineMs: 0, message }]
  }
  return []
}

/** What the tasks make of the rollout. */
function settle(rollout: Rollout, cause: string, transitions: Transition[]): Outcome {
  if (isTerminal(rollout.state)) return { rollout, effects: [], transitions }
  const { state, reason } = judge(rollout.tasks)
  const settled = { ...rollout, state, reason }
  const effects: Effect[] =
    state === 'succeeded' ? [{ kind: 'release' }, { kind: 'release-leases' }] : []
  const moved: Transition[] =
    state === rollout.state ? [] : [{ nodeId: null, from: rollout.state, to: state, cause }]
  return { rollout: settled, effects, transitions: [...transitions, ...moved] }
}

function judge(tasks: readonly Task[]): Pick<Rollout, 'state' | 'reason'> {
  const failed = tasks.filter(hasFailed)
  const late = tasks.filter((task) => task.deadlineMs === 0)
  const { total, done, pending, open } = countTasks(tasks)
  const [firstFailed, firstLate] = [failed[0], late[0]]
  const wayOut = 'Freeze ends the rollout as it is; then fix the cause and start a new one.'
  if (firstFailed) {
    return { state: 'paused', reason: `${tell(firstFailed)}${andMore(failed.length)} ${wayOut}` }
  }
  if (firstLate) {
    const reason = `${firstLate.nodeName}: ${firstLate.message}${andMore(late.length)} It goes on by itself when the node answers. ${wayOut}`
    return { state: 'paused', reason }
  }
  if (open > 0) {
    return {
      state: 'running',
      reason: `${done} of ${total} nodes have the version; waiting for ${names(tasks.filter(isOpen))}.`,
    }
  }
  if (done === 0 && pending > 0) {
    return {
      state: 'paused',
      reason: `None of ${total} nodes could be reached, so nothing is proven. It goes on by itself when one answers. ${wayOut}`,
    }
  }
  if (pending > 0) {
    return {
      state: 'succeeded',
      reason: `${done} of ${total} nodes have the version; ${names(tasks.filter((t) => t.state === 'unreachable'))} will take it when reached.`,
    }
  }
  const all = done === 1 ? 'The node has' : `All ${done} nodes have`
  return {
    state: 'succeeded',
    reason: done === 0 ? 'There is no node to change.' : `${all} the version.`,
  }
}

const FAILURES = new Set<TaskState>([
  'nacked',
  'unhealthy',
  'apply_reverted',
  'apply_stuck',
  'revert_failed',
])
const SETTLED = new Set<TaskState>([...FAILURES, 'done', 'unreachable', 'skipped', 'reverted'])
const hasFailed = (task: Task) => FAILURES.has(task.state)
const isOpen = (task: Pick<Task, 'state'>) => !SETTLED.has(task.state)

export function countTasks(tasks: readonly Pick<Task, 'state'>[]) {
  const count = (test: (task: Pick<Task, 'state'>) => boolean) => tasks.filter(test).length
  return {
    total: count((task) => task.state !== 'skipped'),
    done: count((task) => task.state === 'done'),
    /** Out of reach: they will take the version when they return. */
    pending: count((task) => task.state === 'unreachable'),
    open: count(isOpen),
  }
}

function tell(task: Task): string {
  const what: Partial<Record<TaskState, string>> = {
    nacked: 'refused the version',
    apply_reverted: 'went back to its last confirmed config',
    apply_stuck: 'could neither apply the version nor go back: look at it now',
  }
  const code = task.code ? ` (${task.code})` : ''
  const place = task.errors[0]?.line ? `, line ${task.errors[0].line}` : ''
  return `${task.nodeName} ${what[task.state] ?? 'failed'}${code}${task.message ? `: ${task.message}` : ''}${place}.`
}

const andMore = (count: number) =>
  count > 1 ? ` ${count - 1} more node${count > 2 ? 's' : ''} likewise.` : ''

function names(tasks: readonly Task[]): string {
  const shown = tasks.slice(0, 3).map((task) => task.nodeName)
  const more = tasks.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

const TERMINAL = new Set<RolloutState>([
  'succeeded',
  'frozen',
  'reverted',
  'rejected',
  'cancelled',
  'expired',
  'superseded',
])
export const isTerminal = (state: RolloutState) => TERMINAL.has(state)
