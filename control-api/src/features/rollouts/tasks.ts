// SPDX-License-Identifier: MIT
// What an event does to one node's task. Pure.
//
//   pending → offered → acked → applying → applied → confirmed → healthy → done
//   offered, acked, applying → nacked         offered → unreachable → offered, or acked where its offer stands
//   applying … done → apply_reverted | apply_stuck | unhealthy
//   any → skipped (decommissioned, superseded by a later rollout, the rollout ended before it answered)
//   what began to apply → reverting → reverted | revert_failed   (only when the rollout goes back)
import { DEADLINES, MAX_OFFERS, type NodeEvent, type Policy, type Task } from './model.ts'
import type { TaskState } from './schema.ts'

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
export function advance(task: Task, event: NodeEvent, policy: Policy): Task[] {
  const isOther =
    'generation' in event && event.kind !== 'offered' && event.generation !== task.generation
  if (isOther || task.state === 'skipped') return []
  if (task.state === 'reverting') return goingBack(task, event)
  const path = steps(task, event, policy)
  return path.filter((next) => isNews(task, next, event))
}

const isNews = (task: Task, next: Task, { kind }: NodeEvent) =>
  RANK[next.state] > RANK[task.state] ||
  (kind === 'offered' && task.state === 'unreachable' && task.generation === null) ||
  (next.state === task.state &&
    (next.message !== task.message ||
      next.deadlineMs !== task.deadlineMs ||
      next.flaps !== task.flaps ||
      next.offers !== task.offers))

const to = (task: Task, state: TaskState, deadlineMs: number | null = null): Task => ({
  ...task,
  state,
  deadlineMs,
  code: null,
  message: '',
  errors: [],
})

function steps(task: Task, event: NodeEvent, policy: Policy): Task[] {
  switch (event.kind) {
    case 'offered': {
      const { generation } = event
      const offers = task.offers + 1
      const offered = to(task, 'offered', DEADLINES.ackMs)
      return [{ ...offered, generation, offers, isExcused: false }]
    }
    case 'acked':
      return [to(task, 'acked'), to(task, 'applying', DEADLINES.applyMs)]
    case 'nacked': {
      const { code, message, errors } = event
      const isTooLate = RANK[task.state] > RANK.applying
      return isTooLate ? [] : [{ ...to(task, 'nacked'), code, message, errors }]
    }
    case 'applied':
      // What runs is read back; anything else than the version is not "applied", whatever the node calls it.
      return event.digest === task.digest ? [to(task, 'applied', DEADLINES.confirmMs)] : []
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
    case 'decommissioned':
      return RANK[task.state] >= RANK.done ? [] : [skip(task, 'decommissioned')]
  }
}

/** With nothing to wait for after that, a healthy node is done. */
function wellSince(task: Task, policy: Policy): Task[] {
  const healthy = to(task, 'healthy')
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
  const seconds = DEADLINES.ackMs / 1000
  switch (task.state) {
    case 'pending':
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
      return [unheard(task, 'result', DEADLINES.applyMs)]
    case 'applied':
      return [unheard(task, 'confirmation', DEADLINES.confirmMs)]
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

export const skip = (task: Task, message: string): Task => ({ ...to(task, 'skipped'), message })

/** On its way to what it had before. What fails is tried again: a way back must not hang on one lost message. */
function goingBack(task: Task, event: NodeEvent): Task[] {
  switch (event.kind) {
    case 'offered': {
      const { generation } = event
      const message = task.isConnected ? '' : 'not connected; it goes back when it returns'
      const deadlineMs = task.isConnected ? DEADLINES.ackMs : 0
      return [{ ...task, generation, deadlineMs, message, offers: task.offers + 1 }]
    }
    case 'acked':
      return [to(task, 'reverting', DEADLINES.applyMs)]
    case 'applied': {
      const isBack = event.digest === task.previous?.digest
      return isBack ? [to(task, 'reverting', DEADLINES.confirmMs)] : []
    }
    case 'confirmed':
      return [to(task, 'reverted')]
    case 'nacked':
      return backAgain(task, event.code, event.message)
    case 'reverted':
    case 'stuck':
      return backAgain(task, event.reason, event.message)
    case 'deadline':
      return task.generation === null
        ? []
        : [{ ...task, deadlineMs: 0, message: 'it does not answer; it goes back when it does' }]
    case 'decommissioned':
      return [skip(task, 'decommissioned')]
    default:
      return []
  }
}

function backAgain(task: Task, code: string | null, message: string): Task[] {
  return task.offers >= MAX_OFFERS
    ? [{ ...to(task, 'revert_failed'), code, message }]
    : [{ ...to(task, 'reverting'), generation: null, code, message }]
}

const FAILURES = new Set<TaskState>([
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
/** Nothing has come of its offer, so it can be taken back. */
export const isUnanswered = ({ state }: Task) =>
  state === 'pending' || state === 'offered' || state === 'unreachable'
/** A later rollout takes it over as it is. */
export const isToBeLeft = ({ state }: Task) =>
  RANK[state] < RANK.done || state === 'reverting' || state === 'revert_failed'
/** Out of reach, and nothing is offered to it. */
export const isDeferred = ({ state, generation }: Task) =>
  state === 'unreachable' && generation === null

const UNPROVEN = new Set<TaskState>([
  'offered',
  'acked',
  'applying',
  'applied',
  'confirmed',
  'unhealthy',
  'apply_stuck',
])
/** It may run the version, and has not proved that it is well with it. */
export const isUnproven = ({ state, isExcused }: Task) => UNPROVEN.has(state) && !isExcused
/** It runs the version, or may: going back must change it. */
export const hasBegun = (task: Task) =>
  task.offers > 0 &&
  RANK[task.state] >= RANK.acked &&
  RANK[task.state] <= RANK.apply_stuck &&
  task.state !== 'nacked'
/** Between two configs on its way back. */
export const isOnItsWayBack = ({ state, deadlineMs }: Task) =>
  state === 'reverting' && deadlineMs !== null && deadlineMs !== 0

export function countTasks(tasks: readonly Pick<Task, 'state'>[]) {
  const count = (...states: TaskState[]) =>
    tasks.filter(({ state }) => states.includes(state)).length
  const skipped = count('skipped')
  return {
    total: tasks.length - skipped,
    done: count('done', 'healthy'),
    /** Out of reach: they will take the version when they return. */
    pending: count('unreachable'),
    back: count('reverted'),
  }
}
