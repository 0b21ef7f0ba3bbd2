// SPDX-License-Identifier: MIT
// What happens to a rollout that has not begun: its nodes are not its own yet, so what they do is none of
// its business, but that they are gone.
import type { RolloutState } from '../../../api-shapes/states.ts'
import type { Reason } from '../shapes/reason.ts'
import * as because from './because.ts'
import { isWaiting, type RolloutEvent, type StartNode, type Task } from './model.ts'
import { taskOf } from './places.ts'
import { move, put, type Reduction } from './reduction.ts'
import { skip } from './task-states.ts'

/** False: the rollout has begun, and the event is for those that have. */
export function takeBefore(reduction: Reduction, event: RolloutEvent): boolean {
  if (!isWaiting(reduction.rollout.state)) return false
  switch (event.kind) {
    case 'waits':
      move(reduction, event.state, event.reason)
      break
    case 'started':
      begin(reduction, event.nodes)
      break
    case 'ends':
      end(reduction, event.state, event.reason)
      break
    case 'cancel':
      end(reduction, 'cancelled', { code: 'cancelled', by: event.actor })
      break
    case 'reject':
      end(reduction, 'rejected', { code: 'rejected', by: event.actor, why: event.why })
      break
    case 'decommissioned': {
      const task = taskOf(reduction.rollout.tasks, event.nodeId)
      if (task) put(reduction, task, skip(task, 'decommissioned'))
    }
  }
  return true
}

/** The farm may be another than when it was planned: text and waves stay, all else is looked at again. */
function begin(reduction: Reduction, nodes: readonly StartNode[]): void {
  const found = new Map(nodes.map((node) => [node.nodeId, node]))
  for (const task of reduction.rollout.tasks) {
    if (task.state === 'skipped') continue
    const node = found.get(task.nodeId)
    put(reduction, task, node ? asFound(task, node) : skip(task, 'decommissioned'))
  }
  move(reduction, 'running', because.waiting(reduction.rollout, 0))
}

/** What it has of a rollout that was stopped it is given again: that was never proved. */
function asFound(task: Task, { settledGeneration, isProven, previous }: StartNode): Task {
  return settledGeneration === null || !isProven
    ? { ...task, previous }
    : { ...task, previous, state: 'done', generation: settledGeneration }
}

function end(reduction: Reduction, state: RolloutState, reason: Reason): void {
  for (const task of reduction.rollout.tasks) {
    if (task.state === 'pending') put(reduction, task, skip(task, 'the rollout never began'))
  }
  move(reduction, state, reason)
}
