// SPDX-License-Identifier: MIT
// What an event does to one node's task. Pure.
//
//   pending → offered → acked → applying → applied → confirmed → healthy → done
//   offered, acked, applying → nacked, or pending again when the refusal may pass (refusals.ts)
//   offered … done → nacked (conflict: a person changed the config on the machine)      offered → unreachable → offered, or acked where its offer stands
//   applying … done → apply_reverted | apply_stuck | unhealthy
//   any → skipped (decommissioned, superseded by a later rollout, the rollout ended before it answered)
//   pending, unreachable → skipped (cordoned), unless an offer stands
//   what began to apply → reverting → reverted | revert_failed   (only when the rollout goes back)
import type { TaskState } from '../../../api-shapes/states.ts'
import { CORDONED } from '../../../fleet/cordon.ts'
import type { NodeEvent, Policy, Task } from './model.ts'
import { howMany } from './places.ts'
import { conflicted, isConflict, refused } from './refusals.ts'
import { RANK, skip, to } from './task-states.ts'
import { fetching, goingBack } from './way-back.ts'

export const rankOf = (state: TaskState) => RANK[state]

/** The states the event takes the task through, the last one to stay; none: it changes nothing. */
export function advance(task: Task, event: NodeEvent, policy: Policy): Task[] {
  const isOther =
    'generation' in event &&
    event.kind !== 'offered' &&
    event.generation !== null &&
    event.generation !== task.generation
  if (isOther || task.state === 'skipped') return []
  if (task.state === 'reverting') return goingBack(task, event, policy)
  const path = steps(task, event, policy)
  return path.filter((next) => isNews(task, next, event))
}

const isNews = (task: Task, next: Task, { kind }: NodeEvent) =>
  RANK[next.state] > RANK[task.state] ||
  (kind === 'offered' && task.state === 'unreachable' && task.generation === null) ||
  (kind === 'nacked' && next.state === 'pending') ||
  (next.state === task.state &&
    (next.message !== task.message ||
      next.deadlineMs !== task.deadlineMs ||
      next.flaps !== task.flaps ||
      next.offers !== task.offers))

function steps(task: Task, event: NodeEvent, policy: Policy): Task[] {
  switch (event.kind) {
    case 'offered': {
      const { generation } = event
      const offers = task.offers + 1
      const offered = to(task, 'offered', policy.ackMs)
      return [{ ...offered, generation, offers, isExcused: false }]
    }
    case 'fetching':
      return task.state === 'offered' ? [fetching(task, event)] : []
    case 'acked':
      return [to(task, 'acked'), to(task, 'applying', policy.applyMs)]
    case 'nacked': {
      const { code, message, errors } = event
      const isTooLate = RANK[task.state] > RANK.applying
      return isTooLate ? [] : [refused(task, { code, message, errors })]
    }
    case 'applied':
      // What runs is read back; anything else than the version is not "applied", whatever the node calls it.
      return event.digest === task.digest ? [to(task, 'applied', policy.confirmMs)] : []
    case 'confirmed':
      return policy.minHealthyMs > 0
        ? [to(task, 'confirmed', policy.minHealthyMs)]
        : [to(task, 'confirmed'), ...wellSince(task, policy)]
    case 'reverted':
      return [{ ...to(task, 'apply_reverted'), code: event.reason, message: event.message }]
    case 'stuck':
      return [{ ...to(task, 'apply_stuck'), code: event.reason, message: event.message }]
    case 'deadline':
      return overrun(task, policy)
    case 'connected':
      return returned(task, policy)
    case 'disconnected':
    case 'restarted':
      return flapped(task, event.kind, policy)
    case 'ill':
      return isServing(task)
        ? [{ ...to(task, 'unhealthy'), code: event.gate, message: event.message }]
        : []
    case 'drifted':
      return drifted(task, event)
    // Who was not offered it yet is passed by when it would be.
    case 'cordoned':
      return []
    case 'decommissioned':
      return RANK[task.state] >= RANK.done ? [] : [skip(task, 'decommissioned')]
  }
}

/** Of a node that was given the version; others refuse by themselves when they are. */
function drifted(task: Task, { generation, digest }: Extract<NodeEvent, { kind: 'drifted' }>) {
  const isRefusal = generation !== null
  const isKnown = digest === task.digest || digest === task.previous?.digest
  const isUnderIt = task.offers > 0 && task.generation !== null && RANK[task.state] <= RANK.done
  return isUnderIt && (isRefusal || !isKnown) ? [conflicted(task, digest)] : []
}

/** With nothing to wait for after that, a healthy node is done. */
function wellSince(task: Task, policy: Policy): Task[] {
  // Also one that was gone on without: it has proved itself since.
  const healthy = { ...to(task, 'healthy'), isExcused: false }
  return policy.soakMs > 0 || policy.gates.length > 0 ? [healthy] : [healthy, to(healthy, 'done')]
}

const isServing = ({ state, offers }: Task) =>
  offers > 0 && (state === 'confirmed' || state === 'healthy' || state === 'done')

function returned(task: Task, { minHealthyMs }: Policy): Task[] {
  if (task.state === 'confirmed') return [{ ...task, deadlineMs: minHealthyMs, message: '' }]
  // It answers again: what it left unanswered before does not count.
  const isDeferred = task.state === 'unreachable' && task.generation === null
  return isDeferred ? [{ ...task, offers: 0 }] : []
}

/** Well means well without a break. */
function flapped(task: Task, how: 'disconnected' | 'restarted', policy: Policy): Task[] {
  if (task.state !== 'confirmed') return []
  const flaps = task.flaps + 1
  if (flaps > policy.maxFlaps) {
    const message = `it ${how} ${flaps} times while its health was watched`
    return [{ ...to(task, 'unhealthy'), flaps, code: 'flapping', message }]
  }
  const message = `it ${how}: its health is watched anew${how === 'disconnected' ? ' when it returns' : ''}`
  const deadlineMs = how === 'disconnected' ? null : policy.minHealthyMs
  return [{ ...task, flaps, message, deadlineMs }]
}

/** Silence is no failure of the config. What was acknowledged may have been applied: unknown until it speaks. */
function overrun(task: Task, policy: Policy): Task[] {
  const seconds = policy.ackMs / 1000
  switch (task.state) {
    case 'pending':
      // It refused for now: its turn comes again.
      if (task.code !== null) return [{ ...task, deadlineMs: null, code: null, message: '' }]
      if (task.isConnected) return [{ ...task, deadlineMs: null }]
      return [{ ...to(task, 'unreachable'), message: `not connected; ${ITS_TURN}` }]
    case 'offered': {
      if (policy.maxParallel === null) {
        const message = `did not answer within ${seconds} s; it takes the version when it returns`
        return [{ ...to(task, 'unreachable'), message }]
      }
      const message = `did not answer within ${seconds} s; ${ITS_TURN}`
      return [{ ...to(task, 'unreachable'), generation: null, message }]
    }
    case 'applying':
      return [unheard(task, 'result', policy.applyMs)]
    case 'applied':
      return [unheard(task, 'confirmation', policy.confirmMs)]
    case 'confirmed':
      return wellSince(task, policy)
    default:
      return []
  }
}

const ITS_TURN = 'its turn comes after the others when it is there'

const unheard = (task: Task, awaited: string, limitMs: number): Task => ({
  ...task,
  deadlineMs: 0,
  message: `no ${awaited} within ${limitMs / 1000} s; what it runs is unknown until it speaks`,
})

/** It took the version in this rollout and is well with it. On whom an operator went on without, nothing rests. */
export const isProof = ({ state, offers, isExcused }: Task) =>
  offers > 0 && !isExcused && isWell(state)
/** It has the version and is well with it, whoever brought it there. */
export const isProven = ({ state, isExcused }: Task) => !isExcused && isWell(state)
const isWell = (state: TaskState) => state === 'healthy' || state === 'done'

export const FAILURES: ReadonlySet<TaskState> = new Set<TaskState>([
  'nacked',
  'unhealthy',
  'apply_reverted',
  'apply_stuck',
  'revert_failed',
])
const SETTLED = new Set<TaskState>([
  ...FAILURES,
  'healthy',
  'done',
  'unreachable',
  'skipped',
  'reverted',
])
export const hasFailed = ({ state, isExcused }: Task) => FAILURES.has(state) && !isExcused
export const isLate = ({ deadlineMs, isExcused }: Task) => deadlineMs === 0 && !isExcused
/** The wave waits for it. */
export const isOpen = ({ state, isExcused }: Task) => !SETTLED.has(state) && !isExcused
export const isHealthy = ({ state }: Task) => state === 'healthy'
export const isHealthyOrPending = ({ state }: Task) => state === 'healthy' || state === 'pending'
/** Nothing has come of its offer, so it can be taken back. */
export const isUnanswered = ({ state }: Task) =>
  state === 'pending' || state === 'offered' || state === 'unreachable'
/** A later rollout takes it over as it is. */
export const isToBeLeft = ({ state }: Task) =>
  RANK[state] < RANK.done || state === 'reverting' || state === 'revert_failed'
/** It is cordoned, and no offer stands: it is not offered the version. */
export const isPassedBy = (task: Task) =>
  task.cordon !== null && (task.state === 'pending' || isDeferred(task))
export const wasPassedBy = ({ state, code }: Pick<Task, 'state' | 'code'>) =>
  state === 'skipped' && code === CORDONED
/** Out of reach, and nothing is offered to it. */
export const isDeferred = ({ state, generation }: Task) =>
  state === 'unreachable' && generation === null

export const MOVING: readonly TaskState[] = ['offered', 'acked', 'applying', 'applied', 'confirmed']
export const UNPROVEN: readonly TaskState[] = [...MOVING, 'unhealthy', 'apply_stuck']
/** It may run the version, and has not proved that it is well with it. */
export const isUnproven = ({ state, isExcused }: Task) => UNPROVEN.includes(state) && !isExcused
/** It runs the version, or may: going back must change it. */
export const hasBegun = (task: Task) =>
  task.offers > 0 &&
  RANK[task.state] >= RANK.acked &&
  RANK[task.state] <= RANK.apply_stuck &&
  // A change on the machine is not overwritten: it refuses, and gets back what it had once that is let go.
  (task.state !== 'nacked' || isConflict(task))
/** Between two configs on its way back. */
export const isOnItsWayBack = ({ state, deadlineMs }: Task) =>
  state === 'reverting' && deadlineMs !== null && deadlineMs !== 0

export const countTasks = (tasks: readonly Task[]) => ({
  total: tasks.length - howMany(tasks, isSkipped),
  done: howMany(tasks, hasIt),
  /** Out of reach: they will take the version when they return. */
  pending: howMany(tasks, isUnreachable),
  back: howMany(tasks, isBack),
})
const isSkipped = ({ state }: Task) => state === 'skipped'
const hasIt = ({ state }: Task) => isWell(state)
const isUnreachable = ({ state }: Task) => state === 'unreachable'
const isBack = ({ state }: Task) => state === 'reverted'
