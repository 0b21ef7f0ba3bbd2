// SPDX-License-Identifier: MIT
// Whoever resumes has seen which nodes failed, and goes on without those: of thousands some with each event. Which they are
// is as it was seen: who fails before the last of them is noted nobody has gone on without. A bit for each node keeps it, in
// the order of their ids, so that a crash between two parts changes nothing of it.
import type { Rollout, Task } from './model.ts'
import { idsInOrder, taskOf } from './places.ts'
import { mayOneMore, put, type Reduction, setProgress } from './reduction.ts'

/** Somebody goes on without these. */
export function excuse(reduction: Reduction, tasks: readonly Task[]): void {
  const left = tasks.filter((task) => !excuseNow(reduction, task))
  note(reduction, [...left, ...yetToBeExcused(reduction.rollout)])
}

/** The next of those whom an event before did not come to. */
export function excuseMore(reduction: Reduction): void {
  if (!isExcusing(reduction)) return
  const left = yetToBeExcused(reduction.rollout).filter((task) => !excuseNow(reduction, task))
  note(reduction, left)
}

/** Something happens to a node whose turn to be noted has not come: that was before it. */
export function excuseFirst(reduction: Reduction, nodeId: string): void {
  if (!isExcusing(reduction)) return
  const waiting = yetToBeExcused(reduction.rollout)
  const task = waiting.find((one) => one.nodeId === nodeId)
  if (!task) return
  put(reduction, task, { ...task, isExcused: true })
  note(
    reduction,
    waiting.filter((one) => one !== task),
  )
}

/** Until then nothing follows: with only some of the failures noted, the others would decide. */
export const isExcusing = ({ rollout }: Reduction) => rollout.progress.excusing !== undefined

/** False: not with this event. */
function excuseNow(reduction: Reduction, task: Task): boolean {
  if (!mayOneMore(reduction)) return false
  put(reduction, task, { ...task, isExcused: true })
  return true
}

function note(reduction: Reduction, left: readonly Task[]): void {
  const { excusing, ...progress } = reduction.rollout.progress
  if (left.length > 0) setProgress(reduction, { excusing: bitsOf(reduction.rollout.tasks, left) })
  else if (excusing !== undefined) reduction.rollout = { ...reduction.rollout, progress }
}

function bitsOf(tasks: readonly Task[], some: readonly Task[]): string {
  const chosen = new Set(some.map(({ nodeId }) => nodeId))
  const bytes = Buffer.alloc(Math.ceil(tasks.length / 8))
  for (const [i, id] of idsInOrder(tasks).entries()) {
    const byte = i >> 3
    if (chosen.has(id)) bytes[byte] = (bytes[byte] ?? 0) | (1 << (i & 7))
  }
  return bytes.toString('base64')
}

function yetToBeExcused({ tasks, progress: { excusing = '' } }: Rollout): Task[] {
  const bytes = Buffer.from(excusing, 'base64')
  return idsInOrder(tasks).flatMap((id, i) => {
    const isMarked = (bytes[i >> 3] ?? 0) & (1 << (i & 7))
    const task = isMarked ? taskOf(tasks, id) : undefined
    return task && !task.isExcused ? [task] : []
  })
}
