// SPDX-License-Identifier: MIT
// The rollout engine's decisions: (state, event) → (state, effects). No clock, no I/O; engine/engine.ts
// stores what comes out and then acts on it. What people, time and evidence do: commands.ts, time.ts, verdicts.ts;
// what follows for the rollout: settle.ts.
//
//   planned … queued   it has not begun (waiting.ts; who may begin: queue.ts)
//   running     a wave is under way: its nodes are offered the version, then watched, then judged
//   paused      somebody or something holds it; nothing more is offered; says what would move it on
//   succeeded   every node has it, but for those that were out of reach (they take it when they return)
//   cancelled   it came to its end and nobody had proved the version: they are gone, or were gone on without
//   reverting   what had begun to apply it gets back what it had before, newest wave first
//   reverted    all of them have it again
//   revert_incomplete   all but those that cannot be reached or could not go back; turns into reverted
//   frozen      ended as it is: who has not answered yet is not asked any more
// running and paused follow from the tasks and from what holds, so a late answer can end a pause;
// succeeded, reverted and frozen are for ever. Tasks go on after that: a node that was acknowledged to be
// applying ends that, and one that was out of reach when the rollout succeeded takes the version on return.

import { obey, whyNot } from './commands.ts'
import { excuseFirst } from './excuses.ts'
import {
  isTerminal,
  isWaiting,
  type NodeEvent,
  type Outcome,
  type Rollout,
  type RolloutEvent,
  type Unfinished,
} from './model.ts'
import { taskOf } from './places.ts'
import { giveUp, newReduction, put, type Reduction, withdraw } from './reduction.ts'
import { settle } from './settle.ts'
import { skip } from './task-states.ts'
import { advance, hasBegun, isDeferred, isToBeLeft, isUnanswered } from './tasks.ts'
import { awaitAnew, letPass } from './time.ts'
import { takeVerdict } from './verdicts.ts'
import { beginMore, takeBefore } from './waiting.ts'

export function reduce(rollout: Rollout, event: RolloutEvent): Outcome {
  const { unfinished } = rollout.progress
  const isRest = event.kind === 'goes-on' || event.kind === 'begun'
  const reduction = newReduction(rollout, (isRest && unfinished?.cause) || causeOf(event))
  if (!takeBefore(reduction, event)) take(reduction, event)
  if (isWaiting(reduction.rollout.state)) return outcomeOf(reduction)
  // Of its own offers nothing follows: the others that were decided with it are on their way.
  const isOwnOffer = event.kind === 'offered' && rollout.progress.goesBack === null
  if (!isOwnOffer && event.kind !== 'heard-again' && event.kind !== 'fetching') {
    settle(reduction)
    noteUnfinished(reduction, 'actor' in event ? event.actor : null)
  }
  return outcomeOf(reduction)
}

/** So that it goes on also when the process ends before the next event. */
function noteUnfinished(reduction: Reduction, actor: string | null): void {
  const { begunTo, excusing, marking, unfinished: before, ...progress } = reduction.rollout.progress
  const isOver = isTerminal(reduction.rollout.state) || progress.goesBack !== null
  const stillTo = isOver ? undefined : begunTo
  const { cause } = reduction
  const rest = { cause, actor, givenUp: null }
  const left = reduction.unfinished ?? (stillTo === undefined ? null : rest)
  const isSame = left?.cause === before?.cause && left?.givenUp === before?.givenUp
  const isDropped = isOver && excusing !== undefined
  // Of one that is over it says how the others are settled.
  const isMarked = isOver && marking !== undefined && left === null
  if (isSame && stillTo === begunTo && !isDropped && !isMarked) return
  const unfinished = isSame ? before : left && { ...left, actor: actorOf(left, before) ?? actor }
  reduction.rollout = {
    ...reduction.rollout,
    progress: {
      ...progress,
      ...(unfinished && { unfinished }),
      ...(stillTo !== undefined && { begunTo: stillTo }),
      ...(excusing !== undefined && !isDropped && { excusing }),
      ...(marking !== undefined && !isMarked && { marking }),
    },
  }
}

const actorOf = ({ cause }: Unfinished, before: Unfinished | undefined) =>
  cause === before?.cause ? before.actor : null

export type Offered = { nodeId: string; generation: number }

/**
 * As `offered` of each of them, looked at once behind the last. It is part of the event that had them offered, which has
 * changed as many nodes as it may: whoever else is to go back does so with the next.
 */
export function reduceOffered(rollout: Rollout, offered: readonly Offered[]): Outcome {
  const reduction = { ...newReduction(rollout, 'offered'), left: 0 }
  for (const { nodeId, generation } of offered)
    takeNodeEvent(reduction, { kind: 'offered', nodeId, generation })
  if (rollout.progress.goesBack !== null) {
    settle(reduction)
    noteUnfinished(reduction, null)
  }
  return outcomeOf(reduction)
}

const outcomeOf = ({ rollout, effects, transitions }: Reduction): Outcome => ({
  rollout,
  effects,
  transitions,
})

function causeOf(event: RolloutEvent): string {
  if (!('actor' in event)) return event.kind
  const why = 'why' in event && event.why !== '' ? `: ${event.why}` : ''
  return `${event.kind} by ${event.actor}${why}`
}

function take(reduction: Reduction, event: RolloutEvent): void {
  switch (event.kind) {
    // Of those that have not begun.
    case 'waits':
    case 'ends':
    case 'started':
    case 'cancel':
    case 'reject':
    case 'goes-on':
      break
    case 'begun':
      beginMore(reduction, event)
      break
    case 'heard-again':
      awaitAnew(reduction, 'nodeIds' in event ? event : null)
      break
    case 'elapsed':
      letPass(reduction, event.ms)
      break
    case 'room':
    case 'storage-full':
      break
    case 'superseded':
      leave(reduction, event.nodeIds, `superseded by ${event.by}`)
      break
    case 'decommissioned':
    case 'cordoned':
      for (const nodeId of event.nodeIds) takeNodeEvent(reduction, { kind: event.kind, nodeId })
      break
    case 'fetching':
      for (const node of event.nodes) takeNodeEvent(reduction, { kind: 'fetching', ...node })
      break
    case 'evaluated':
      takeVerdict(reduction, event)
      break
    case 'freeze':
    case 'pause':
    case 'resume':
    case 'skip-gate':
    case 'revert':
      if (whyNot(reduction.rollout, event.kind) === null) obey(reduction, event)
      break
    default:
      takeNodeEvent(reduction, event)
  }
}

/** What is being taken back nobody keeps: without our word the node goes back by itself. */
export function mayKeep(
  { progress, tasks }: Rollout,
  offer: { nodeId: string; generation: number },
): boolean {
  if (progress.goesBack === null) return true
  const task = taskOf(tasks, offer.nodeId)
  // Who has begun is about to be turned back.
  return task !== undefined && task.generation === offer.generation && !hasBegun(task)
}

function takeNodeEvent(reduction: Reduction, event: NodeEvent): void {
  excuseFirst(reduction, event.nodeId)
  const task = taskOf(reduction.rollout.tasks, event.nodeId)
  if (!task) return
  const path = advance(task, event, reduction.rollout.policy)
  const after = path.at(-1)
  if (!after) return
  const isPutOff = event.kind === 'deadline' && isDeferred(after)
  // Its offer must not come to life when its turn is over, or when a change on the machine is let go.
  if (isPutOff || event.kind === 'drifted') withdraw(reduction, task)
  if (isPutOff) put(reduction, task, { ...after, wave: reduction.rollout.progress.waves })
  else put(reduction, task, ...path)
}

function leave(reduction: Reduction, nodeIds: readonly string[], why: string): void {
  const left = new Set(nodeIds)
  for (const task of reduction.rollout.tasks) {
    if (!left.has(task.nodeId)) continue
    if (isUnanswered(task)) giveUp(reduction, task, why)
    else if (isToBeLeft(task)) put(reduction, task, skip(task, why))
  }
}
