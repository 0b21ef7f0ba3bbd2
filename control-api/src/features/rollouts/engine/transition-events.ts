// SPDX-License-Identifier: MIT
// The event row of each transition.
import type { Unit } from '../../../audit/write.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import type { Task, Transition } from '../reducer/model.ts'
import { reasonOf } from '../store/rollouts.ts'
import { EVERYBODY } from '../words/audience.ts'
import { tellReason } from '../words/reasons.ts'
import { taskMessage } from '../words/why-words.ts'

type Context = { tasks: readonly Task[]; actor: string | undefined }

export async function emitTransition(
  unit: Unit,
  row: RolloutRow,
  { nodeId, from, to, cause, isWave }: Transition,
  { tasks, actor }: Context,
): Promise<void> {
  const by = actor === undefined ? {} : { actor }
  if (isWave) {
    await unit.emit({ kind: 'rollout', id: row.id, action: to, ...by, data: { from, to, cause } })
    return
  }
  if (nodeId === null) {
    const reason = reasonOf(row)
    // Sentences, too, for these rows outlive every code; only who sees the whole farm reads them.
    const why = { reason: tellReason(reason), reasonCode: reason.code }
    const data = { from, to, cause, ...why, stateVersion: row.state_version }
    await unit.emit({ kind: 'rollout', id: row.id, action: to, ...by, data })
    return
  }
  const task = tasks.find((candidate) => candidate.nodeId === nodeId)
  const message = task && taskMessage(task, EVERYBODY)
  const evidence = task && {
    generation: task.generation,
    ...(task.code && { code: task.code }),
    ...(message && { message }),
    ...(task.errors.length > 0 && { errors: task.errors }),
  }
  const data = { nodeId, from, to, cause, ...evidence }
  await unit.emit({ kind: 'rollout', id: row.id, action: `task-${to}`, ...by, data })
}
