// SPDX-License-Identifier: MIT
// What happens to a rollout that has not begun: its nodes are not its own yet, so what they do is none of
// its business, but that they are gone.
import type { RolloutState } from '../../../api-shapes/states.ts'
import type { Reason } from '../shapes/reason.ts'
import * as because from './because.ts'
import { isWaiting, type RolloutEvent, type StartNode, type Task } from './model.ts'
import { taskOf } from './places.ts'
import { mayOneMore, move, put, type Reduction, setProgress } from './reduction.ts'
import { skip } from './task-states.ts'

/** False: the rollout has begun, and the event is for those that have. */
export function takeBefore(reduction: Reduction, event: RolloutEvent): boolean {
  if (!isWaiting(reduction.rollout.state)) return false
  switch (event.kind) {
    case 'waits':
      move(reduction, event.state, event.reason)
      break
    case 'started':
      begin(reduction, event)
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
    case 'decommissioned':
      for (const nodeId of event.nodeIds) {
        const task = taskOf(reduction.rollout.tasks, nodeId)
        if (task) put(reduction, task, skip(task, 'decommissioned'))
      }
  }
  return true
}

/** The farm may be another than when it was planned: text and waves stay, all else is looked at again. */
function begin(reduction: Reduction, { nodes, begunTo }: Begun): void {
  beginSome(reduction, nodes, { after: '', upTo: begunTo })
  if (begunTo !== undefined) setProgress(reduction, { begunTo })
  move(reduction, 'running', because.waiting(reduction.rollout, 0))
}

/** Unless it has ended meanwhile, or goes back: then they were given up. */
export function beginMore(reduction: Reduction, { nodes, begunTo }: Begun): void {
  const { begunTo: after, ...progress } = reduction.rollout.progress
  if (after === undefined) return
  beginSome(reduction, nodes, { after, upTo: begunTo })
  reduction.rollout = {
    ...reduction.rollout,
    progress: { ...progress, ...(begunTo !== undefined && { begunTo }) },
  }
}

type Begun = { nodes: readonly StartNode[]; begunTo?: string }
type Span = { after: string; upTo: string | undefined }

function beginSome(reduction: Reduction, nodes: readonly StartNode[], { after, upTo }: Span): void {
  const found = new Map(nodes.map((node) => [node.nodeId, node]))
  const isOfIt = (id: string) => id > after && (upTo === undefined || id <= upTo)
  for (const task of reduction.rollout.tasks) {
    if (task.state === 'skipped' || !isOfIt(task.nodeId)) continue
    const node = found.get(task.nodeId)
    put(reduction, task, node ? asFound(task, node) : skip(task, 'decommissioned'))
  }
}

/** What it has of a rollout that was stopped it is given again: that was never proved. */
function asFound(task: Task, { settledGeneration, isProven, previous }: StartNode): Task {
  return settledGeneration === null || !isProven
    ? { ...task, previous }
    : { ...task, previous, state: 'done', generation: settledGeneration }
}

const NEVER_BEGAN = 'the rollout never began'

function end(reduction: Reduction, state: RolloutState, reason: Reason): void {
  for (const task of reduction.rollout.tasks) {
    if (task.state !== 'pending') continue
    if (!mayOneMore(reduction, NEVER_BEGAN)) break
    put(reduction, task, skip(task, NEVER_BEGAN))
  }
  move(reduction, state, reason)
}
