// SPDX-License-Identifier: MIT
// Which reason it is that a rollout is in its state, with what it is about. Pure; words/reasons.ts has the words.
import type { Closed } from '../../rollout-rules/windows.ts'
import type {
  Finding,
  InWave,
  NodeRef,
  Nodes,
  Reason,
  StandIn,
  Told,
  Why,
} from '../shapes/reason.ts'
import type { Hold, Policy, Progress, Rollout, Task } from './model.ts'
import { firstOfWave, which } from './places.ts'
import { isLeftOut, isOfItsKind, isOfItsOwner } from './refusals.ts'
import { countTasks, isOpen, isUnanswered, wasPassedBy } from './tasks.ts'

/** A sentence names three. These are for who sees some of them only; each message of a node stores them anew. */
const MOST_KEPT = 50

export const nodeOf = ({ nodeId, nodeName }: Task): NodeRef => ({
  id: nodeId,
  name: nodeName,
})

/** `total`: of more than are given. */
export const nodesOf = (all: readonly (Task | NodeRef)[], total = all.length): Nodes => ({
  nodes: all.slice(0, MOST_KEPT).map((one) => ('nodeId' in one ? nodeOf(one) : one)),
  moreNodes: Math.max(0, total - MOST_KEPT),
})

export const told = (task: Task): Told => ({
  node: nodeOf(task),
  state: task.state,
  errorCode: task.code,
  message: task.message,
  leftOutFor: task.leftOutFor,
  line: task.errors[0]?.line ?? null,
})

const inWave = ({ progress, policy }: Pick<Rollout, 'progress' | 'policy'>): InWave => ({
  wave: progress.wave,
  waves: progress.waves,
  isFastPath: policy.isFastPath,
  standIn: progress.standIn ?? null,
})

export const filesFirst = ({ progress: { files }, policy }: Rollout): Reason => ({
  code: 'files_first',
  heldNodes: files?.now?.heldNodes ?? 0,
  refusedNodes: files?.now?.refusedNodes ?? 0,
  refusals: files?.now?.refusals ?? [],
  waiting: files?.now?.waiting ?? null,
  stillSeconds: (policy.filesFirstMs ?? 0) / 1000,
})

export function waiting(rollout: Rollout, withoutRoomNodes: number): Reason {
  const { tasks, progress, roomHeldBy } = rollout
  const { done, total } = countTasks(tasks)
  // Of each event that leaves some open: they may be ten thousand.
  const open = firstOfWave(tasks, progress.wave, isOpen, MOST_KEPT)
  return {
    code: 'waiting_for_nodes',
    at: inWave(rollout),
    doneNodes: done,
    totalNodes: total,
    open: nodesOf(open.first, open.count),
    withoutRoomNodes,
    roomHeldBy: withoutRoomNodes > 0 ? roomHeldBy : [],
  }
}

/** Of the nodes that were to prove the version, and of who does it for them. */
export const standIn = (task: Task, missing: readonly Task[]): StandIn => ({
  node: nodeOf(task),
  missing: nodesOf(missing),
})

export const nobodyThere = (rollout: Rollout, called: readonly Task[]): Reason => ({
  code: 'nobody_left',
  at: inWave(rollout),
  called: nodesOf(called),
})

export const soaking = (rollout: Rollout): Reason => ({
  code: 'soaking',
  at: inWave(rollout),
  soakSeconds: rollout.policy.soakMs / 1000,
})

export function awaitingEvidence(rollout: Rollout): Reason {
  const { policy, progress } = rollout
  return {
    code: 'awaiting_evidence',
    at: inWave(rollout),
    finding: findingOf(progress),
    isProbed: policy.probes.length > 0 && progress.verdict?.verdict === 'no_data',
    maxSoakSeconds: policy.maxSoakMs / 1000,
    ...(policy.onNoData && { onNoData: policy.onNoData }),
  }
}

const findingOf = ({ verdict }: Progress): Finding | null =>
  verdict && { text: verdict.message, silent: verdict.silent ?? null }

export const away = (tasks: readonly Task[]): Reason => ({
  code: 'nodes_away',
  away: nodesOf(tasks),
})

export const closed = (of: Closed, { wave, waves }: Progress): Reason => ({
  code: 'wave_window_closed',
  closed: of,
  wave,
  waves,
})

/** Throws when there are none: then nothing has failed. */
export function failed(tasks: readonly Task[]): Reason {
  const first = firstOf(tasks)
  const without = tasks.filter(isLeftOut)
  return {
    code: 'nodes_failed',
    first: told(first),
    failed: nodesOf(tasks.filter((task) => !isLeftOut(task))),
    leftOut: nodesOf(without),
    kind: isOfItsKind(first) ? first.kind : null,
    isOfItsOwner: isOfItsOwner(first),
  }
}

/** Throws when there are none. */
export const late = (tasks: readonly Task[]): Reason => ({
  code: 'nodes_late',
  first: told(firstOf(tasks)),
  late: nodesOf(tasks),
})

function firstOf(tasks: readonly Task[]): Task {
  const [first] = tasks
  if (!first) throw new Error('a reason that is about nodes needs one')
  return first
}

export const unreached = (totalNodes: number): Reason => ({ code: 'none_reached', totalNodes })

export const tooManyAway = (tasks: readonly Task[], maxPercent: number): Reason => ({
  code: 'too_many_away',
  away: nodesOf(tasks),
  maxPercent,
})

export const held = ({ kind, why }: Hold, { policy }: Pick<Rollout, 'policy'>): Reason => ({
  code: kind,
  why,
  leftAlone: kind === 'gate_no_data' || kind === 'gate_inconclusive' ? ofTime(policy) : null,
})

/** Its progress deadline runs on while evidence is wanted. */
function ofTime({ progressDeadlineMs, onFailure }: Policy) {
  if (progressDeadlineMs === null || onFailure === 'pause') return null
  return { follows: onFailure, afterSeconds: progressDeadlineMs / 1000 }
}

export const unheard = (tasks: readonly Task[]): Why => ({
  cause: 'unheard',
  unheard: nodesOf(tasks),
})

export const noEvidence = ({ policy, progress }: Rollout): Why => ({
  cause: 'no_evidence',
  maxSoakSeconds: policy.maxSoakMs / 1000,
  finding: findingOf(progress),
})

type Stopped = { why: Why; isHopeless: boolean }

/** Of the nodes as they were: who is not asked any more is one of those that keep what they have. */
export function frozen(tasks: readonly Task[], { why, isHopeless }: Stopped): Reason {
  const { done, total } = countTasks(tasks)
  const applying = tasks.filter(
    (task) => isOpen(task) && !isUnanswered(task) && task.state !== 'reverting',
  )
  return {
    code: 'frozen',
    why,
    isHopeless,
    doneNodes: done,
    totalNodes: total,
    applying: nodesOf(applying),
  }
}

export function succeeded(tasks: readonly Task[]): Reason {
  const { done, total, pending } = countTasks(tasks)
  const passedBy = nodesOf(tasks.filter(wasPassedBy))
  const ofMost = (
    code: 'others_later' | 'without_some' | 'some_failed',
    others: readonly Task[],
    totalNodes = total,
  ): Reason => ({ code, doneNodes: done, totalNodes, others: nodesOf(others), passedBy })
  if (pending > 0) {
    return ofMost(
      'others_later',
      tasks.filter((task) => task.state === 'unreachable'),
    )
  }
  const without = tasks.filter((task) => task.isExcused && task.state !== 'done')
  if (without.length > 0) return ofMost('without_some', without)
  const missing = tasks.filter(
    (task) => task.state !== 'done' && task.code !== null && !wasPassedBy(task),
  )
  if (missing.length > 0) return ofMost('some_failed', missing, done + missing.length)
  const isNothing = tasks.every(({ offers }) => offers === 0)
  return { code: isNothing ? 'nothing_to_do' : 'all_have_it', doneNodes: done, passedBy }
}

/** Nobody has it, or nobody of whom more is known than that. */
export const unproven = (tasks: readonly Task[]): Reason => ({
  code: 'unproven',
  isEmpty: tasks.length === 0,
  without: nodesOf(tasks.filter(({ isExcused }) => isExcused)),
  gone: nodesOf(
    tasks.filter((task) => task.state === 'skipped' && !task.isExcused && !wasPassedBy(task)),
  ),
  passedBy: nodesOf(tasks.filter(wasPassedBy)),
})

export function goingBack(why: Why, tasks: readonly Task[]): Reason {
  const { back } = countTasks(tasks)
  const open = which(tasks, isReverting)
  return {
    code: 'going_back',
    why,
    backNodes: back,
    totalNodes: back + open.length,
    open: nodesOf(open),
  }
}

const isReverting = ({ state }: Task) => state === 'reverting'
const couldNotGoBack = ({ state }: Task) => state === 'revert_failed'

export const backInPart = (why: Why, tasks: readonly Task[]): Reason => ({
  code: 'back_in_part',
  why,
  backNodes: countTasks(tasks).back,
  still: nodesOf(which(tasks, isReverting)),
  failed: nodesOf(which(tasks, couldNotGoBack)),
})

export const wentBack = (why: Why, tasks: readonly Task[]): Reason => ({
  code: 'went_back',
  why,
  backNodes: countTasks(tasks).back,
})
