// SPDX-License-Identifier: MIT
// What happens to a rollout that has not begun: its nodes are not its own yet, so what they do is none of
// its business, but that they are gone.
import type { RolloutState } from '../../../api-shapes/states.ts'
import type { Reason } from '../shapes/reason.ts'
import * as because from './because.ts'
import { isWaiting, type RolloutEvent, type StartNode, type Task } from './model.ts'
import { skip } from './task-states.ts'
import { move, put, type Turn } from './turn.ts'

/** False: the rollout has begun, and the event is for those that have. */
export function takeBefore(turn: Turn, event: RolloutEvent): boolean {
  if (!isWaiting(turn.rollout.state)) return false
  switch (event.kind) {
    case 'waits':
      move(turn, event.state, event.reason)
      break
    case 'started':
      begin(turn, event.nodes)
      break
    case 'ends':
      end(turn, event.state, event.reason)
      break
    case 'cancel':
      end(turn, 'cancelled', { code: 'cancelled', by: event.actor })
      break
    case 'reject':
      end(turn, 'rejected', { code: 'rejected', by: event.actor, why: event.why })
      break
    case 'decommissioned': {
      const task = turn.rollout.tasks.find(({ nodeId }) => nodeId === event.nodeId)
      if (task) put(turn, task, skip(task, 'decommissioned'))
    }
  }
  return true
}

/** The farm may be another than when it was planned: text and waves stay, all else is looked at again. */
function begin(turn: Turn, nodes: readonly StartNode[]): void {
  const found = new Map(nodes.map((node) => [node.nodeId, node]))
  for (const task of turn.rollout.tasks) {
    if (task.state === 'skipped') continue
    const node = found.get(task.nodeId)
    put(turn, task, node ? asFound(task, node) : skip(task, 'decommissioned'))
  }
  move(turn, 'running', because.waiting(turn.rollout, 0))
}

/** What it has of a rollout that was stopped it is given again: that was never proved. */
function asFound(task: Task, { settledGeneration, isProven, previous }: StartNode): Task {
  return settledGeneration === null || !isProven
    ? { ...task, previous }
    : { ...task, previous, state: 'done', generation: settledGeneration }
}

function end(turn: Turn, state: RolloutState, reason: Reason): void {
  for (const task of turn.rollout.tasks) {
    if (task.state === 'pending') put(turn, task, skip(task, 'the rollout never began'))
  }
  move(turn, state, reason)
}
