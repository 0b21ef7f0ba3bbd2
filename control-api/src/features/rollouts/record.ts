// SPDX-License-Identifier: MIT
// The event row of each transition.
import type { Unit } from '../../db/write.ts'
import type { Task, Transition } from './model.ts'
import type { RolloutRow } from './store.ts'

type Recorded = { tasks: readonly Task[]; actor: string | undefined }

export async function record(
  unit: Unit,
  row: RolloutRow,
  { nodeId, from, to, cause, isWave }: Transition,
  { tasks, actor }: Recorded,
): Promise<void> {
  const by = actor === undefined ? {} : { actor }
  if (isWave) {
    await unit.emit({ kind: 'rollout', id: row.id, action: to, ...by, data: { from, to, cause } })
    return
  }
  if (nodeId === null) {
    const { reason, state_version } = row
    const data = { from, to, cause, reason, stateVersion: state_version }
    await unit.emit({ kind: 'rollout', id: row.id, action: to, ...by, data })
    return
  }
  const task = tasks.find((candidate) => candidate.nodeId === nodeId)
  const evidence = task && {
    generation: task.generation,
    ...(task.code && { code: task.code }),
    ...(task.message && { message: task.message }),
    ...(task.errors.length > 0 && { errors: task.errors }),
  }
  const data = { nodeId, from, to, cause, ...evidence }
  await unit.emit({ kind: 'rollout', id: row.id, action: `task-${to}`, ...by, data })
}
