// SPDX-License-Identifier: MIT
// The rollout engine's decisions: (state, event) → (state, effects). No clock, no I/O; engine/engine.ts
// stores what comes out and then acts on it.
//
//   planned … queued   it has not begun (waiting.ts; who may begin: queue.ts)
//   running     a wave is under way: its nodes are offered the version, then watched, then judged
//   paused      somebody or something holds it; nothing more is offered; says what would move it on
//   succeeded   every node has it, but for those that were out of reach (they take it when they return)
//   cancelled   it came to its end and nobody had proved the version: they are gone, or were gone on without
//   reverting   what had begun to apply it gets back what it had before, newest wave first
//   reverted    all of them have it again
//   revert_incomplete   all but those that cannot be reached or could not go back; turns into reverted
//   frozen      ended as it is: who has not answered yet is not asked any more
// running and paused follow from the tasks and from what holds, so a late answer can end a pause;
// succeeded, reverted and frozen are for ever. Tasks go on after that: a node that was acknowledged to be
// applying ends that, and one that was out of reach when the rollout succeeded takes the version on return.

import type { TaskState } from '../../../api-shapes/states.ts'
import type { HoldKind } from '../shapes/reason.ts'
import * as because from './because.ts'
import { freeze, goOnBack, hold, react, startBack } from './endings.ts'
import {
  awayOf,
  finishWave,
  goOn,
  holdUntilHeard,
  offerToStragglers,
  unheardOf,
} from './forward.ts'
import {
  type Command,
  type Evaluated,
  isHeldByGate,
  isTerminal,
  isWaiting,
  type NodeEvent,
  type Outcome,
  type Policy,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
  type Task,
} from './model.ts'
import { whyNotBefore } from './queue.ts'
import {
  giveUp,
  move,
  passed,
  put,
  type Reduction,
  setProgress,
  settleTasks,
  withdraw,
} from './reduction.ts'
import { isLeftOut } from './refusals.ts'
import { failsGate, GATE_FAILED, skip } from './task-states.ts'
import {
  advance,
  hasFailed,
  isDeferred,
  isLate,
  isProven,
  isToBeLeft,
  isUnanswered,
} from './tasks.ts'
import { takeBefore } from './waiting.ts'

const STORAGE_IS_FULL = 'The disk of the control plane is full: make room, then resume.'
const RESUME_IS_NOTHING =
  'It would change nothing: what it waits for is in its reason, and nobody can go on without that.'

export function reduce(rollout: Rollout, event: RolloutEvent): Outcome {
  const reduction = newReduction(rollout, causeOf(event))
  if (!takeBefore(reduction, event)) take(reduction, event)
  if (isWaiting(reduction.rollout.state)) return outcomeOf(reduction)
  // Of its own offers nothing follows: the others that were decided with it are on their way.
  const isOwnOffer = event.kind === 'offered' && rollout.progress.goesBack === null
  if (!isOwnOffer && event.kind !== 'heard-again') settle(reduction)
  return outcomeOf(reduction)
}

const newReduction = (rollout: Rollout, cause: string): Reduction => ({
  rollout,
  cause,
  effects: [],
  transitions: [],
})

const outcomeOf = ({ rollout, effects, transitions }: Reduction): Outcome => ({
  rollout,
  effects,
  transitions,
})

function causeOf(event: RolloutEvent): string {
  if (!('actor' in event)) return event.kind
  const why = 'why' in event && event.why !== '' ? `: ${event.why}` : ''
  return `${event.kind} by ${event.actor}${why}`
}

function take(reduction: Reduction, event: RolloutEvent): void {
  switch (event.kind) {
    // Of those that have not begun.
    case 'waits':
    case 'ends':
    case 'started':
    case 'cancel':
    case 'reject':
      break
    case 'heard-again':
      awaitAnew(reduction)
      break
    case 'elapsed':
      letPass(reduction, event.ms)
      break
    case 'room':
    case 'storage-full':
      break
    case 'superseded':
      leave(reduction, event.nodeIds, `superseded by ${event.by}`)
      break
    case 'evaluated':
      takeVerdict(reduction, event)
      break
    case 'freeze':
    case 'pause':
    case 'resume':
    case 'skip-gate':
    case 'revert':
      if (whyNot(reduction.rollout, event.kind) === null) obey(reduction, event)
      break
    default:
      takeNodeEvent(reduction, event)
  }
}

/** What somebody may ask of a rollout; an approval changes nothing that the reducer knows. */
export type Action = Command['kind'] | 'approve'

/** Why the action means nothing now; null: it may be given. */
export function whyNot(rollout: Rollout, command: Action): string | null {
  const { state, progress } = rollout
  if (isTerminal(state)) return `It has ended as ${state}.`
  if (isWaiting(state)) return whyNotBefore(state, command)
  if (command === 'freeze') return null
  if (progress.goesBack !== null) return 'It goes back already; only freeze ends that.'
  switch (command) {
    case 'pause':
      return progress.hold?.kind === 'manual' ? 'It is paused already.' : null
    case 'resume':
      if (state !== 'paused') return 'It is not paused.'
      if (rollout.isStorageFull) return STORAGE_IS_FULL
      if (isForTheWindow(rollout)) return 'It goes on by itself when a change window opens.'
      return isMovedByResume(rollout) ? null : RESUME_IS_NOTHING
    case 'skip-gate':
      return progress.phase === 'soaking' ? null : 'No gate is being waited for.'
    case 'revert':
      return null
    default:
      return 'It has begun; freeze ends it, revert takes it back.'
  }
}

/** Else it stays as it is, for the same reason: whoever resumes it would wait for nothing. */
function isMovedByResume(rollout: Rollout): boolean {
  if (rollout.progress.hold !== null) return true
  const reduction = newReduction(rollout, 'resume')
  resume(reduction)
  settle(reduction)
  const { state, tasks } = reduction.rollout
  return state !== 'paused' || tasks.some((task, i) => task !== rollout.tasks[i])
}

const isForTheWindow = ({ progress: { phase, hold }, tasks }: Rollout) =>
  phase === 'waiting' && hold === null && !tasks.some(hasFailed)

/** What is being taken back nobody keeps: without our word the node goes back by itself. */
export function mayKeep(
  { progress, tasks }: Rollout,
  offer: { nodeId: string; generation: number },
): boolean {
  if (progress.goesBack === null) return true
  const task = tasks.find(({ nodeId }) => nodeId === offer.nodeId)
  return task?.generation === offer.generation
}

type Steering = Extract<Command, { kind: 'freeze' | 'pause' | 'resume' | 'skip-gate' | 'revert' }>

function obey(reduction: Reduction, command: Steering): void {
  const { actor: by } = command
  switch (command.kind) {
    case 'freeze':
      freeze(reduction, { cause: 'froze', by, rolloutId: command.rolloutId ?? null })
      break
    case 'pause':
      hold(reduction, 'manual', { cause: 'paused', by, why: command.why })
      break
    case 'resume':
      resume(reduction)
      break
    case 'skip-gate':
      setProgress(reduction, { hold: null })
      finishWave(reduction)
      break
    case 'revert':
      startBack(reduction, { cause: 'took_back', by, why: command.why })
  }
}

/** Whoever resumes has seen what is wrong, and goes on without it. */
function resume(reduction: Reduction): void {
  const { progress, policy, tasks } = reduction.rollout
  const kind = progress.hold?.kind
  setProgress(reduction, {
    hold: null,
    ...(kind === 'deadline' && { progressLeftMs: policy.progressDeadlineMs }),
    ...(isHeldByGate(progress) && { soakedMs: 0, verdict: null }),
  })
  const isRestart = kind === 'control_plane_restart'
  if (kind !== undefined && !isRestart) return
  // As long as nobody has it, there is nothing to go on with.
  const isAnyProven = tasks.some(isProven)
  const away = [...awayOf(reduction.rollout), ...(isRestart ? unheardOf(reduction.rollout) : [])]
  for (const task of tasks) {
    const isAway = away.includes(task) || (isAnyProven && task.state === 'unreachable')
    const isWithout = hasFailed(task) || isLeftOut(task) || isLate(task) || isAway
    if (isWithout && !task.isExcused) put(reduction, task, { ...task, isExcused: true })
  }
}

function takeNodeEvent(reduction: Reduction, event: NodeEvent): void {
  const task = reduction.rollout.tasks.find((candidate) => candidate.nodeId === event.nodeId)
  if (!task) return
  const path = advance(task, event, reduction.rollout.policy)
  const after = path.at(-1)
  if (!after) return
  const isPutOff = event.kind === 'deadline' && isDeferred(after)
  // Its offer must not come to life when its turn is over, or when a change on the machine is let go.
  if (isPutOff || event.kind === 'drifted') withdraw(reduction, task)
  if (isPutOff) put(reduction, task, { ...after, wave: reduction.rollout.progress.waves })
  else put(reduction, task, ...path)
}

function leave(reduction: Reduction, nodeIds: readonly string[], why: string): void {
  const left = new Set(nodeIds)
  for (const task of reduction.rollout.tasks) {
    if (!left.has(task.nodeId)) continue
    if (isUnanswered(task)) giveUp(reduction, task, why)
    else if (isToBeLeft(task)) put(reduction, task, skip(task, why))
  }
}

/** Silence while we could not hear says nothing. What had overrun its time before stays overrun. */
function awaitAnew(reduction: Reduction): void {
  const { policy, progress } = reduction.rollout
  for (const task of reduction.rollout.tasks) {
    const deadlineMs = deadlineAnew(task, reduction.rollout)
    if (deadlineMs !== task.deadlineMs) put(reduction, task, { ...task, deadlineMs })
  }
  if (isTerminal(reduction.rollout.state)) return
  const { progressLeftMs } = progress
  if (policy.progressDeadlineMs !== null || progress.phase === 'soaking') {
    setProgress(reduction, {
      soakedMs: 0,
      verdict: null,
      progressLeftMs: progressLeftMs === null ? null : progressLeftMs + RECONCILIATION_GRACE_MS,
    })
  }
  awaitHellos(reduction)
}

function awaitHellos(reduction: Reduction): void {
  const { state, progress } = reduction.rollout
  const isUnderWay = state === 'running' || state === 'paused'
  if (!isUnderWay || progress.hold !== null) return
  holdUntilHeard(reduction)
  const held = reduction.rollout.progress.hold
  if (held) move(reduction, 'paused', because.held(held, reduction.rollout))
}

function deadlineAnew(task: Task, { policy, progress }: Rollout): number | null {
  if (task.state === 'confirmed') return task.isConnected ? policy.minHealthyMs : null
  const isCalled =
    task.state === 'pending' && policy.maxParallel !== null && progress.phase !== 'waiting'
  const isAwaited = task.deadlineMs || (isCalled && task.wave === progress.wave)
  const stepMs = stepOf(task, policy)
  return isAwaited && stepMs ? stepMs + RECONCILIATION_GRACE_MS : task.deadlineMs
}

function stepOf({ state }: Task, { ackMs, applyMs, confirmMs }: Policy): number | undefined {
  const steps: Partial<Record<TaskState, number>> = {
    pending: ackMs,
    offered: ackMs,
    applying: applyMs,
    applied: confirmMs,
    reverting: applyMs,
  }
  return steps[state]
}

/** Of these the version is not to blame. */
const SUSPENDING: readonly HoldKind[] = ['manual', 'deadline', 'storage_full']

function letPass(reduction: Reduction, ms: number): void {
  const { state, progress, policy } = reduction.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  if (
    progress.phase === 'soaking' &&
    progress.hold === null &&
    awayOf(reduction.rollout).length === 0
  ) {
    setProgress(reduction, { soakedMs: progress.soakedMs + ms })
  }
  const { progressLeftMs, hold: held } = progress
  const isSuspended = held !== null && SUSPENDING.includes(held.kind)
  if (progressLeftMs === null || isSuspended || progress.phase === 'waiting') return
  setProgress(reduction, { progressLeftMs: Math.max(0, progressLeftMs - ms) })
  if (progressLeftMs > ms) return
  const withinSeconds = (policy.progressDeadlineMs ?? 0) / 1000
  react(reduction, policy.onFailure, 'deadline', { cause: 'no_progress', withinSeconds })
}

/** Evidence against it counts at any time, evidence for it only once the wave is whole. */
function takeVerdict(reduction: Reduction, { wave, verdict, onFail, ...said }: Evaluated): void {
  const { state, progress } = reduction.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  const isOfNow = wave === progress.wave && progress.phase === 'soaking'
  const silent = said.silent && because.nodesOf(said.silent)
  const { message } = said
  if (verdict === 'fail') {
    noteFailedGate(reduction, wave)
    const finding = { text: message, silent: silent ?? null }
    react(reduction, onFail, 'gate_failed', { cause: 'gate', finding })
    return
  }
  if (!isOfNow) return
  setProgress(reduction, { verdict: { verdict, message, ...(silent && { silent }) } })
  // What it was held for stays, until somebody has it watched anew.
  if (verdict === 'pass' && !isHeldByGate(progress)) {
    for (const task of reduction.rollout.tasks.filter(failsGate)) put(reduction, task, passed(task))
  }
}

/** Without numbers: they are of others too, whom not everybody may see. */
function noteFailedGate(reduction: Reduction, wave: number): void {
  const message = 'its wave fails a gate: see the evidence'
  for (const task of reduction.rollout.tasks) {
    const isWatched = task.wave === wave && task.state === 'healthy' && task.offers > 0
    if (isWatched && !failsGate(task)) put(reduction, task, { ...task, code: GATE_FAILED, message })
  }
}

/** What the tasks make of the rollout. */
function settle(reduction: Reduction): void {
  rearm(reduction)
  while (!isOver(reduction) && goOn(reduction));
  const { state, progress } = reduction.rollout
  const { goesBack } = progress
  if (isTerminal(state)) settleTasks(reduction)
  else if (goesBack !== null) goOnBack(reduction, goesBack)
  if (state === 'succeeded') offerToStragglers(reduction)
}

/** It goes on no further: only back, or not at all. */
const isOver = ({ rollout: { state, progress } }: Reduction) =>
  isTerminal(state) || progress.goesBack !== null

/** A task becomes healthy once, so a node that comes and goes is no progress. */
function rearm(reduction: Reduction): void {
  const { policy, progress } = reduction.rollout
  const isOneMore = reduction.transitions.some(
    ({ to, nodeId }) => to === 'healthy' && nodeId !== null,
  )
  if (isOneMore && progress.progressLeftMs !== null) {
    setProgress(reduction, { progressLeftMs: policy.progressDeadlineMs })
  }
}
