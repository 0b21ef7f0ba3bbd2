// SPDX-License-Identifier: MIT
// How a rollout goes on, wave by wave: offered, watched, judged.
import * as because from './because.ts'
import { hold, react } from './endings.ts'
import { awaitFiles } from './files-first.ts'
import { MAX_OFFERS, type Policy, type Rollout, type Task } from './model.ts'
import { howMany, isAny, isAnyOfWave, taskOf, which, whichOfWave } from './places.ts'
import {
  giveUpAll,
  mayOneMore,
  move,
  passBy,
  put,
  type Reduction,
  setProgress,
  settleTasks,
  stay,
} from './reduction.ts'
import {
  isAlike,
  isConflict,
  isLeftOut,
  isPutOffByItself,
  leftOut,
  saysOfOthers,
} from './refusals.ts'
import {
  countTasks,
  hasFailed,
  isDeferred,
  isHealthy,
  isLate,
  isOpen,
  isPassedBy,
  isProof,
  isProven,
  isUnanswered,
  isUnproven,
  MOVING,
} from './tasks.ts'

/** One look at the wave; true: it moved on, look again. */
export function goOn(reduction: Reduction): boolean {
  const { rollout } = reduction
  const { tasks, policy, progress } = rollout
  const failures = failuresOver(rollout)
  if (failures.length > 0) return reactToFailures(reduction, failures)
  if (progress.hold?.kind === 'control_plane_restart') holdUntilHeard(reduction)
  const { hold: held } = reduction.rollout.progress
  if (held) return stay(reduction, 'paused', because.held(held, reduction.rollout))
  if (progress.phase === 'waiting') return beginWave(reduction)
  if (rollout.isStorageFull) return holdForStorage(reduction)
  if (progress.phase === 'files') return awaitFiles(reduction)
  const late = which(tasks, isLate)
  if (late.length > 0) return stay(reduction, 'paused', because.late(late))
  if (progress.phase === 'soaking') return soak(reduction)
  if (leaveOut(reduction)) return true
  const sent = dispatch(reduction)
  if (sent.isWaiting)
    return stay(reduction, 'running', because.waiting(reduction.rollout, sent.withoutRoom))
  if (!isWaveProven(reduction.rollout)) {
    if (standIn(reduction)) return true
    const called = callTheRest(reduction)
    if (called.length > 0)
      return stay(reduction, 'running', because.nobodyThere(reduction.rollout, called))
  }
  const { pending, total } = countTasks(reduction.rollout.tasks)
  if (pending > 0 && !isAny(reduction.rollout.tasks, isProven)) {
    return stay(reduction, 'paused', because.unreached(total))
  }
  const unreached = which(reduction.rollout.tasks, isMissed)
  if (unreached.length * 100 > policy.maxUnreachablePercent * total) {
    return stay(reduction, 'paused', because.tooManyAway(unreached, policy.maxUnreachablePercent))
  }
  if (isToSoak(reduction.rollout))
    setProgress(reduction, { phase: 'soaking', soakedMs: 0, verdict: null })
  else finishWave(reduction)
  return true
}

/** Only people know why it was full, so they say when it goes on. */
function holdForStorage(reduction: Reduction): boolean {
  hold(reduction, 'storage_full', { cause: 'storage_was_full' })
  return true
}

/** What nodes under way did meanwhile nobody knows until they speak. */
export function holdUntilHeard(reduction: Reduction): void {
  const unheard = unheardOf(reduction.rollout)
  if (unheard.length === 0) setProgress(reduction, { hold: null })
  else hold(reduction, 'control_plane_restart', because.unheard(unheard))
}

/** Of the wave under way: those that were offered the version and are to be well with it. */
export const unheardOf = ({ tasks, progress }: Rollout) =>
  whichOfWave(tasks, progress.wave, isUnheard)

const isUnheard = ({ state, isConnected, isExcused }: Task) =>
  !isConnected && !isExcused && (state === 'healthy' || MOVING.includes(state))

const isMissed = (task: Task) =>
  task.state === 'unreachable' && !task.isExcused && !(isDeferred(task) && mayBeOffered(task))

/** No wave rests on the proof of another: each has one of its own. */
const isWaveProven = ({ tasks, progress }: Rollout) => isAnyOfWave(tasks, progress.wave, isProof)

const isToSoak = ({ tasks, progress }: Rollout) => isAnyOfWave(tasks, progress.wave, isToBeWatched)

const isToBeWatched = (task: Task) => isHealthy(task) && isProof(task)

/**
 * Nobody of the wave is left to prove the version: one node of a later one does in its place, or one that was
 * put off and has returned; not all of them.
 */
function standIn(reduction: Reduction): boolean {
  const { tasks, progress } = reduction.rollout
  const later = tasks.filter(
    (task) => task.wave > progress.wave && (task.state === 'pending' || isDeferred(task)),
  )
  const ready = later.find(isReady)
  const one = ready ?? lastOfAll(later.filter(({ state }) => state === 'pending'))
  if (!one) return false
  if (ready)
    setProgress(reduction, { standIn: because.standIn(ready, whoIsMissing(reduction.rollout)) })
  put(reduction, one, { ...one, wave: progress.wave })
  return true
}

const isReady = (task: Task) => task.cordon === null && mayBeOffered(task)

/** Of those that are cordoned, when nobody else may come: it is passed by. */
const lastOfAll = (pending: readonly Task[]) =>
  pending.every(({ cordon }) => cordon !== null) ? pending[0] : undefined

const whoIsMissing = ({ tasks, progress }: Rollout) =>
  tasks.filter((task) => (task.wave === progress.wave && !isProof(task)) || isDeferred(task))

/** Nobody who could stand in is there: each has a moment to appear, and is put off after it. */
function callTheRest(reduction: Reduction): Task[] {
  const { progress } = reduction.rollout
  const rest = reduction.rollout.tasks.filter(
    (task) => task.wave > progress.wave && task.state === 'pending',
  )
  callAbsent(reduction, rest)
  return rest
}

/** A wave that is under way goes on when a change window closes; the next one waits for it to open. */
function beginWave(reduction: Reduction): boolean {
  const { closed, progress, tasks } = reduction.rollout
  // Into a wave that is empty one of a later one comes.
  const isOfIt = (task: Task) => task.wave === progress.wave && isUnanswered(task)
  const mayCome = (task: Task) =>
    task.wave > progress.wave && (task.state === 'pending' || (isDeferred(task) && isReady(task)))
  const hasNodes = () => tasks.some((task) => isOfIt(task) || mayCome(task))
  if (closed !== null && hasNodes())
    return stay(reduction, 'paused', because.closed(closed, progress))
  setProgress(reduction, { phase: 'dispatching' })
  return true
}

/** Those that are too many; what is worst decides. */
function failuresOver({ tasks, policy, progress }: Rollout): Task[] {
  // Who was left out would have refused it.
  const failures = [...which(tasks, hasFailed), ...which(tasks, isMissing)]
  if (failures.length === 0) return []
  const isGrave = failures.some(
    (task) => task.state === 'unhealthy' || task.state === 'apply_stuck' || isConflict(task),
  )
  const sofar = tasks.filter((task) => task.wave <= progress.wave).length
  const allowed = progress.wave === 0 ? 0 : Math.floor((sofar * policy.maxFailedPercent) / 100)
  return isGrave || failures.length > allowed ? failures : []
}

/** A refusal changed nothing, and what is stuck no rollout can mend: neither is a reason to go back. */
function reactToFailures(reduction: Reduction, failures: readonly Task[]): boolean {
  const isStuck = failures.some(({ state }) => state === 'apply_stuck')
  const harmed = failures.filter(({ state }) => state === 'unhealthy' || state === 'apply_reverted')
  const [first] = harmed
  const { onFailure } = reduction.rollout.policy
  if (isStuck || !first || onFailure === 'pause') {
    return stay(reduction, 'paused', because.failed(failures))
  }
  react(reduction, onFailure, 'gate_failed', { cause: 'node_failed', failed: because.told(first) })
  return false
}

const isMissing = (task: Task) => isLeftOut(task) && !task.isExcused

/** Nobody is offered what one like it refused. True: there was somebody. */
function leaveOut(reduction: Reduction): boolean {
  const { tasks } = reduction.rollout
  const refusers = which(tasks, saysOfOthers)
  if (refusers.length === 0) return false
  let isAny = false
  for (const task of which(tasks, isToBeOffered)) {
    const refuser = refusers.find((one) => isAlike(task, one))
    if (!refuser) continue
    if (!mayOneMore(reduction)) break
    put(reduction, task, leftOut(task, refuser))
    isAny = true
  }
  return isAny
}

/** Offers what there is room for. withoutRoom: how many only the farm's budget keeps waiting. */
function dispatch(reduction: Reduction): { isWaiting: boolean; withoutRoom: number } {
  const { progress, policy } = reduction.rollout
  const isBounded = policy.maxParallel !== null
  const { wave } = progress
  const cordoned = which(reduction.rollout.tasks, isPassedBy)
  passBy(
    reduction,
    cordoned.filter((task) => task.wave === wave || isDeferred(task)),
  )
  const may = whichOfWave(reduction.rollout.tasks, wave, isToBeOffered)
  if (isBounded) callAbsent(reduction, whichOfWave(reduction.rollout.tasks, wave, isToBeCalled))
  const able = may.filter((task) => !isBounded || (task.isConnected && task.offers < MAX_OFFERS))
  const withoutRoom = offerTo(reduction, able)
  const { tasks } = reduction.rollout
  const isWaiting =
    isAnyOfWave(tasks, wave, isOpen) || able.some((task) => taskOf(tasks, task.nodeId) === task)
  return { isWaiting, withoutRoom }
}

/** Its turn has come, or it was out of reach when it had, or refused for now. */
const isToBeOffered = (task: Task) =>
  isDeferred(task) || (task.state === 'pending' && !isPutOffByItself(task))

/** Who is not there when its turn comes has a moment to appear. */
function callAbsent(reduction: Reduction, tasks: readonly Task[]): void {
  const { ackMs } = reduction.rollout.policy
  for (const task of tasks) {
    if (!isToBeCalled(task)) continue
    if (!mayOneMore(reduction)) return
    put(reduction, task, { ...task, deadlineMs: task.deadlineMs === null ? ackMs : null })
  }
}

/** It is not there and was not called yet, or was called and is there. */
const isToBeCalled = (task: Task) =>
  task.state === 'pending' &&
  !isPutOffByItself(task) &&
  task.isConnected === (task.deadlineMs !== null)

/** It is over, and they return one by one. */
export function offerToStragglers(reduction: Reduction): void {
  if (reduction.rollout.isStorageFull) return
  passBy(reduction, which(reduction.rollout.tasks, isPassedBy))
  leaveOut(reduction)
  // It said that they would take the version.
  if (reduction.transitions.some(({ to }) => to === 'skipped')) {
    move(reduction, 'succeeded', because.succeeded(reduction.rollout.tasks))
  }
  offerTo(reduction, which(reduction.rollout.tasks, isToBeOffered))
}

/** How many only the farm's budget keeps waiting. */
function offerTo(reduction: Reduction, tasks: readonly Task[]): number {
  const { policy, tasks: all, room: farmRoom } = reduction.rollout
  const able = tasks.filter((task) => policy.maxParallel === null || mayBeOffered(task))
  const unproven = howMany(all, isUnproven)
  const within = (limit: number) => Math.min(able.length, Math.max(0, limit - unproven))
  const room = within(Math.min(most(policy), farmRoom ?? Number.POSITIVE_INFINITY))
  for (const { nodeId } of able.slice(0, room)) {
    if (!mayOneMore(reduction)) break
    reduction.effects.push({ kind: 'offer', nodeId })
  }
  return within(most(policy)) - room
}

const mayBeOffered = (task: Task) => task.isConnected && task.offers < MAX_OFFERS

const most = ({ maxParallel, blastBudget }: Policy) =>
  Math.min(maxParallel ?? Number.POSITIVE_INFINITY, blastBudget ?? Number.POSITIVE_INFINITY)

/** The wave's nodes are healthy: time, and evidence where it is asked for, say whether it is through. */
function soak(reduction: Reduction): boolean {
  const { policy, progress } = reduction.rollout
  if (!isToSoak(reduction.rollout)) {
    // Whoever was watched is gone, or an operator went on without: what was seen of it proves nothing.
    setProgress(reduction, { phase: 'dispatching', soakedMs: 0, verdict: null })
    return true
  }
  const away = awayOf(reduction.rollout)
  if (away.length > 0) return stay(reduction, 'paused', because.away(away))
  if (progress.soakedMs < policy.soakMs)
    return stay(reduction, 'running', because.soaking(reduction.rollout))
  const verdict = policy.gates.length > 0 && !policy.isAlone ? progress.verdict?.verdict : 'pass'
  if (verdict === 'pass') {
    finishWave(reduction)
    return true
  }
  if (progress.soakedMs < policy.maxSoakMs) {
    return stay(reduction, 'running', because.awaitingEvidence(reduction.rollout))
  }
  if (mayGoOnWithout(reduction.rollout)) {
    finishWave(reduction)
    return true
  }
  const kind = verdict === 'inconclusive' ? 'gate_inconclusive' : 'gate_no_data'
  hold(reduction, kind, because.noEvidence(reduction.rollout))
  return true
}

/** Too few came by, and the order says that this is no reason to wait. Whoever measures nothing may be ill unseen. */
const mayGoOnWithout = ({ policy, progress: { verdict } }: Rollout) =>
  policy.onNoData === 'continue' &&
  verdict?.verdict !== 'inconclusive' &&
  verdict?.silent === undefined

export const awayOf = ({ tasks, progress }: Rollout) => whichOfWave(tasks, progress.wave, isAway)

const isAway = (task: Task) => isHealthy(task) && !task.isConnected && !task.isExcused

export function finishWave(reduction: Reduction): void {
  const { progress } = reduction.rollout
  settleTasks(reduction)
  const { wave, waves } = progress
  if (wave < waves) {
    if (waves > 1) {
      const [from, to] = [`wave-${wave}`, `wave-${wave + 1}`]
      reduction.transitions.push({ nodeId: null, from, to, cause: reduction.cause, isWave: true })
    }
    const begun = { phase: 'waiting' as const, soakedMs: 0, verdict: null, standIn: null }
    setProgress(reduction, { wave: wave + 1, ...begun })
    return
  }
  const { tasks } = reduction.rollout
  if (tasks.some(isProven)) {
    move(reduction, 'succeeded', because.succeeded(tasks))
    reduction.effects.push({ kind: 'release' })
  } else {
    endUnproven(reduction)
  }
  reduction.effects.push({ kind: 'release-leases' })
}

/** New nodes must not get what nobody was ever well with. */
function endUnproven(reduction: Reduction): void {
  const reason = because.unproven(reduction.rollout.tasks)
  giveUpAll(reduction, 'nobody proved the version')
  move(reduction, 'cancelled', reason)
}
