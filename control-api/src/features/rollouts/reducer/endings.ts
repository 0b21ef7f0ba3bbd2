// SPDX-License-Identifier: MIT
// How a rollout is stopped: held, frozen as it is, or taken back.
import type { HoldKind, Why } from '../shapes/reason.ts'
import type { OnFailure } from '../shapes/schema.ts'
import * as because from './because.ts'
import type { Task } from './model.ts'
import { howMany, which } from './places.ts'
import {
  giveUp,
  mayOneMore,
  move,
  put,
  type Reduction,
  setProgress,
  settleTasks,
} from './reduction.ts'
import { skip } from './task-states.ts'
import { hasBegun, isOnItsWayBack, isUnanswered } from './tasks.ts'

export function freeze(reduction: Reduction, why: Why, isHopeless = false): void {
  const reason = because.frozen(reduction.rollout.tasks, { why, isHopeless })
  giveUpFrozen(reduction)
  move(reduction, 'frozen', reason)
  settleTasks(reduction)
  reduction.effects.push({ kind: 'release-leases' })
}

export function giveUpFrozen(reduction: Reduction): void {
  for (const task of which(reduction.rollout.tasks, isToKeepWhatItHas)) {
    if (!mayOneMore(reduction, FROZEN)) return
    if (isToGoBack(task))
      put(reduction, task, skip(task, 'the rollout was frozen before it went back'))
    else giveUp(reduction, task, FROZEN)
  }
}

/** It is not asked to go back yet. */
const isToGoBack = ({ state, generation }: Task) => state === 'reverting' && generation === null
const isToKeepWhatItHas = (task: Task) => isToGoBack(task) || isUnanswered(task)

const FROZEN = 'the rollout was frozen before it answered'

/** Without anything to go back to, the farm is better off as it is than with nothing. */
function goBackByItself(reduction: Reduction, why: Why): void {
  const begun = reduction.rollout.tasks.filter(hasBegun)
  const isHopeless = begun.length > 0 && begun.every((task) => task.previous === null)
  if (isHopeless) freeze(reduction, why, isHopeless)
  else startBack(reduction, why)
}

export function startBack(reduction: Reduction, why: Why): void {
  turnBack(reduction)
  setProgress(reduction, { goesBack: why, hold: null })
  move(reduction, 'reverting', because.goingBack(why, reduction.rollout.tasks))
}

export function turnBack(reduction: Reduction): void {
  for (const task of which(reduction.rollout.tasks, isToTurnBack)) {
    if (!mayOneMore(reduction)) return
    if (isUnanswered(task)) giveUp(reduction, task, 'the rollout went back before it answered')
    else put(reduction, task, turnedBack(task))
  }
}

const isToTurnBack = (task: Task) => isUnanswered(task) || hasBegun(task)

function turnedBack(task: Task): Task {
  const turned = { ...task, generation: null, deadlineMs: null, offers: 0, code: null, errors: [] }
  return task.previous
    ? { ...turned, state: 'reverting', message: '' }
    : {
        ...task,
        state: 'revert_failed',
        deadlineMs: null,
        message: 'it had no confirmed config before this one',
      }
}

export function goOnBack(reduction: Reduction, why: Why): void {
  giveBack(reduction)
  const { rollout } = reduction
  if (reduction.unfinished) {
    if (rollout.state === 'reverting')
      move(reduction, 'reverting', because.goingBack(why, rollout.tasks))
    return
  }
  const left = which(rollout.tasks, isNotBack)
  const busy = left.some((task) => task.state === 'reverting' && task.deadlineMs !== 0)
  const wasIncomplete = rollout.state === 'revert_incomplete'
  const isUnderWay = busy && !wasIncomplete
  if (left.length === 0) move(reduction, 'reverted', because.wentBack(why, rollout.tasks))
  else if (isUnderWay) move(reduction, 'reverting', because.goingBack(why, rollout.tasks))
  else move(reduction, 'revert_incomplete', because.backInPart(why, rollout.tasks))
  if (!isUnderWay && !wasIncomplete) reduction.effects.push({ kind: 'release-leases' })
}

const isNotBack = ({ state }: Task) => state === 'reverting' || state === 'revert_failed'

/**
 * Newest wave first. Who is not there takes no room: its assignment waits for it. However full the farm's
 * budget is with nodes of other rollouts, one may go back: a way back never waits for somebody else.
 */
function giveBack(reduction: Reduction): void {
  const { tasks, policy, room: farmRoom } = reduction.rollout
  const farmMost = farmRoom === null ? Number.POSITIVE_INFINITY : Math.max(1, farmRoom)
  const most = Math.min(policy.blastBudget ?? Number.POSITIVE_INFINITY, farmMost)
  let room = most - howMany(tasks, isOnItsWayBack)
  const waiting = which(tasks, isToBeGivenBack).toSorted((a, b) => b.wave - a.wave)
  for (const task of waiting) {
    if (!task.previous || (task.isConnected && room-- <= 0)) continue
    if (!mayOneMore(reduction)) return
    const { nodeId, previous } = task
    put(reduction, task, { ...task, deadlineMs: policy.ackMs })
    reduction.effects.push({ kind: 'give-back', nodeId, generation: previous.generation })
  }
}

const isToBeGivenBack = (task: Task) => isToGoBack(task) && task.deadlineMs === null

export function react(reduction: Reduction, onFailure: OnFailure, kind: HoldKind, why: Why): void {
  // Whoever paused it by hand stays the one to ask.
  const isHeldByHand = reduction.rollout.progress.hold?.kind === 'manual'
  if (onFailure === 'freeze') freeze(reduction, why)
  else if (onFailure === 'revert') goBackByItself(reduction, why)
  else if (!isHeldByHand) hold(reduction, kind, why)
}

export const hold = (reduction: Reduction, kind: HoldKind, why: Why) =>
  setProgress(reduction, { hold: { kind, why } })
