// SPDX-License-Identifier: MIT
// What time does to a rollout: it soaks, it runs out, and it begins anew after we could not hear. Pure.

import type { TaskState } from '../../../api-shapes/states.ts'
import type { HoldKind } from '../shapes/reason.ts'
import * as because from './because.ts'
import { react } from './endings.ts'
import { filesAnew, filesStandStill } from './files-first.ts'
import { awayOf, holdUntilHeard } from './forward.ts'
import {
  isBeforeWave,
  isTerminal,
  type Policy,
  type Progress,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type Task,
} from './model.ts'
import { taskOf } from './places.ts'
import { move, put, type Reduction, setProgress } from './reduction.ts'

/** Of a large rollout. What is of the whole is done with the first. */
type Part = { nodeIds: readonly string[]; isFirst: boolean }

/** Silence while we could not hear says nothing. What had overrun its time before stays overrun. */
export function awaitAnew(reduction: Reduction, part: Part | null): void {
  const { policy, progress, tasks } = reduction.rollout
  const concerned = part
    ? part.nodeIds.flatMap((nodeId) => taskOf(tasks, nodeId) ?? [])
    : reduction.rollout.tasks
  for (const task of concerned) {
    const deadlineMs = deadlineAnew(task, reduction.rollout)
    if (deadlineMs !== task.deadlineMs) put(reduction, task, { ...task, deadlineMs })
  }
  if (part?.isFirst === false || isTerminal(reduction.rollout.state)) return
  const { progressLeftMs } = progress
  if (policy.progressDeadlineMs !== null || progress.phase === 'soaking') {
    setProgress(reduction, {
      soakedMs: 0,
      verdict: null,
      progressLeftMs: progressLeftMs === null ? null : progressLeftMs + RECONCILIATION_GRACE_MS,
    })
  }
  if (progress.phase === 'files') filesAnew(reduction)
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
    task.state === 'pending' && policy.maxParallel !== null && !isBeforeWave(progress)
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

/** Who stopped it has all the time there is. */
export const isProgressSuspended = ({ hold, phase }: Pick<Progress, 'hold' | 'phase'>): boolean =>
  isBeforeWave({ phase }) || (hold !== null && SUSPENDING.includes(hold.kind))

export function letPass(reduction: Reduction, ms: number): void {
  const { state, progress, policy } = reduction.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  if (
    progress.phase === 'soaking' &&
    progress.hold === null &&
    awayOf(reduction.rollout).length === 0
  ) {
    setProgress(reduction, { soakedMs: progress.soakedMs + ms })
  }
  if (progress.phase === 'files' && progress.hold === null) filesStandStill(reduction, ms)
  const { progressLeftMs } = progress
  if (progressLeftMs === null || isProgressSuspended(progress)) return
  setProgress(reduction, { progressLeftMs: Math.max(0, progressLeftMs - ms) })
  if (progressLeftMs > ms) return
  const withinSeconds = (policy.progressDeadlineMs ?? 0) / 1000
  react(reduction, policy.onFailure, 'deadline', { cause: 'no_progress', withinSeconds })
}
