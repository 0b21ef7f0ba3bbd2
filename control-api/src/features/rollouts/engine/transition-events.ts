// SPDX-License-Identifier: MIT
// The event row of each transition.
import type { NewEvent } from '../../../audit/event.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import type { Task, Transition } from '../reducer/model.ts'
import { taskOf } from '../reducer/places.ts'
import { reasonOf } from '../store/rollouts.ts'
import { EVERYBODY } from '../words/audience.ts'
import { tellReason } from '../words/reasons.ts'
import { taskMessage } from '../words/why-words.ts'

type Context = { tasks: readonly Task[]; actor: string | undefined }

export function eventOf(
  row: RolloutRow,
  { nodeId, from, to, cause, isWave }: Transition,
  { tasks, actor }: Context,
): NewEvent {
  const by = actor === undefined ? {} : { actor }
  const about = { kind: 'rollout' as const, id: row.id, ...by }
  if (isWave) return { ...about, action: to, data: { from, to, cause } }
  if (nodeId === null) {
    const reason = reasonOf(row)
    // Sentences, too, for these rows outlive every code; only who sees the whole farm reads them.
    const why = { reason: tellReason(reason), reasonCode: reason.code }
    return {
      ...about,
      action: to,
      data: { from, to, cause, ...why, stateVersion: row.state_version },
    }
  }
  const task = taskOf(tasks, nodeId)
  const message = task && taskMessage(task, EVERYBODY)
  const evidence = task && {
    generation: task.generation,
    ...(task.code && { code: task.code }),
    ...(message && { message }),
    ...(task.errors.length > 0 && { errors: task.errors }),
  }
  return { ...about, action: `task-${to}`, data: { nodeId, from, to, cause, ...evidence } }
}
