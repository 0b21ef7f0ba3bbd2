// SPDX-License-Identifier: MIT
// The states of a node's task, in their order.
import type { TaskState } from '../../../api-shapes/states.ts'
import type { Task } from './model.ts'

/** How far along. An event never takes a task back; failures are the end of the way. */
export const RANK: Record<TaskState, number> = {
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

export const to = (task: Task, state: TaskState, deadlineMs: number | null = null): Task => ({
  ...task,
  state,
  deadlineMs,
  code: null,
  message: '',
  leftOutFor: null,
  errors: [],
})

/** Its wave fails a gate: it is not called well, however well the node itself is. */
export const GATE_FAILED = 'gate_failed'
export const failsGate = ({ state, code }: Pick<Task, 'state' | 'code'>) =>
  state === 'healthy' && code === GATE_FAILED
/** Healthy with the version that this rollout gave it: what its wave fails, it fails. */
export const isWatched = ({ state, offers }: Task) => state === 'healthy' && offers > 0
/** Without numbers: they are of others too, whom not everybody may see. */
export const markedFailed = (task: Task): Task => ({
  ...task,
  code: GATE_FAILED,
  message: 'its wave fails a gate: see the evidence',
})
/** Of a gate: it passed, or somebody skipped it. */
export const passed = (task: Task): Task =>
  failsGate(task) ? { ...task, code: null, message: '' } : task

export const skip = (task: Task, message: string): Task => ({ ...to(task, 'skipped'), message })
