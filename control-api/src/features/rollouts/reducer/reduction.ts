// SPDX-License-Identifier: MIT
// One event's work on a rollout: what it has made of it so far. Changes that leave nothing untold.
import { isDeepStrictEqual } from 'node:util'
import type { RolloutState } from '../../../api-shapes/states.ts'
import { CORDONED } from '../../../fleet/cordon.ts'
import type { Reason } from '../shapes/reason.ts'
import {
  type Effect,
  isTerminal,
  NODES_AT_ONCE,
  type Progress,
  type Rollout,
  type Task,
  type Transition,
  type Unfinished,
} from './model.ts'
import { copyOf, placeOf, replace, which } from './places.ts'
import { failsGate, isWatched, markedFailed, passed, skip } from './task-states.ts'
import { isHealthy, isHealthyOrPending, isPassedBy, isUnanswered } from './tasks.ts'

/** One event's work: what it has made of the rollout so far. */
export type Reduction = {
  rollout: Rollout
  cause: string
  effects: Effect[]
  transitions: Transition[]
  /** How many nodes it may still change beside the event's own. */
  left: number
  /** It had to leave some for the next event. */
  unfinished: Unfinished | null
  /** Its own copy of the tasks, once it has changed one: that one changes in place. */
  own: Task[] | null
}

export const newReduction = (rollout: Rollout, cause: string): Reduction => ({
  rollout,
  cause,
  effects: [],
  transitions: [],
  left: rollout.nodesAtOnce ?? NODES_AT_ONCE,
  unfinished: null,
  own: null,
})

/** One node more is to be changed. False: not with this event. */
export function mayOneMore(reduction: Reduction, givenUp: string | null = null): boolean {
  if (reduction.left > 0) {
    reduction.left--
    return true
  }
  const { cause } = reduction
  reduction.unfinished ??= { cause, actor: null, givenUp }
  return false
}

/**
 * Replaces the task by the last of the path; each change of state is a transition. Who walks through the rollout's
 * tasks meanwhile may put the one it is at, and finds those behind it as they are by then.
 */
export function put(reduction: Reduction, task: Task, ...path: Task[]): void {
  const after = path.at(-1)
  if (!after) return
  const { cause } = reduction
  const tasks = ownTasks(reduction)
  const at = placeOf(tasks, task.nodeId)
  if (at !== undefined && tasks[at] === task) replace(tasks, at, after)
  let from = task.state
  for (const { state } of path) {
    if (state !== from) reduction.transitions.push({ nodeId: task.nodeId, from, to: state, cause })
    from = state
  }
}

function ownTasks(reduction: Reduction): Task[] {
  if (reduction.own) return reduction.own
  const { rollout } = reduction
  const own = copyOf(rollout.tasks)
  reduction.own = own
  reduction.rollout = { ...rollout, tasks: own }
  return own
}

export function setProgress(reduction: Reduction, change: Partial<Progress>): void {
  const { rollout } = reduction
  reduction.rollout = { ...rollout, progress: { ...rollout.progress, ...change } }
}

export function move(reduction: Reduction, state: RolloutState, reason: Reason): void {
  const { rollout, transitions, cause } = reduction
  const from = rollout.state
  if (from !== state) transitions.push({ nodeId: null, from, to: state, cause })
  const isNews = from !== state || !isDeepStrictEqual(rollout.reason, reason)
  if (isNews) reduction.rollout = { ...rollout, state, reason }
}

/** There is nothing to do until the next event. */
export function stay(reduction: Reduction, state: RolloutState, reason: Reason): false {
  move(reduction, state, reason)
  return false
}

export function withdraw(reduction: Reduction, { nodeId, generation }: Task): void {
  if (generation !== null) reduction.effects.push({ kind: 'withdraw', nodeId, generation })
}

export function giveUp(reduction: Reduction, task: Task, message: string): void {
  if (task.generation !== null) withdraw(reduction, task)
  put(reduction, task, skip(task, message))
}

/** It keeps what it has, also when the cordon is gone: a later rollout brings it what it missed. */
export function passBy(reduction: Reduction, tasks: readonly Task[]): void {
  for (const task of tasks) {
    if (!task.cordon || !isPassedBy(task)) continue
    if (!mayOneMore(reduction)) return
    const { by, reason } = task.cordon
    put(reduction, task, { ...skip(task, `cordoned by ${by}: ${reason}`), code: CORDONED })
  }
}

/** Nothing more is waited for: what is healthy is done, but for a failed gate; what refused for now is not asked again. */
export function settleTasks(reduction: Reduction): void {
  const { state, tasks } = reduction.rollout
  const isStopped = isTerminal(state) && state !== 'succeeded'
  for (const task of which(tasks, isStopped ? isHealthyOrPending : isHealthy)) {
    if (!mayOneMore(reduction, isStopped ? ENDED : null)) return
    if (task.state === 'pending') giveUp(reduction, task, ENDED)
    else if (isStopped && failsItsGate(reduction.rollout, task))
      put(reduction, task, { ...markedFailed(task), state: 'unhealthy' })
    else put(reduction, task, { ...passed(task), state: 'done' })
  }
}

const ENDED = 'the rollout has ended'

/** Also when its turn to be marked has not come (verdicts.ts). */
function failsItsGate({ progress: { marking } }: Rollout, task: Task): boolean {
  if (marking?.verdict === 'pass') return false
  return failsGate(task) || (marking?.wave === task.wave && isWatched(task))
}

/** Nothing has come of their offers, and nothing shall. */
export function giveUpAll(reduction: Reduction, message: string): void {
  for (const task of which(reduction.rollout.tasks, isUnanswered)) {
    if (!mayOneMore(reduction, message)) return
    giveUp(reduction, task, message)
  }
}
