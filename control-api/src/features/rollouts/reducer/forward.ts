// SPDX-License-Identifier: MIT
// How a rollout goes on, wave by wave: offered, watched, judged.
import * as because from './because.ts'
import { hold, react } from './endings.ts'
import { MAX_OFFERS, type Policy, type Rollout, type Task } from './model.ts'
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
  isLate,
  isOpen,
  isProof,
  isProven,
  isUnanswered,
  isUnproven,
  MOVING,
} from './tasks.ts'
import { giveUp, move, passBy, put, setProgress, settleTasks, stay, type Turn } from './turn.ts'

/** One look at the wave; true: it moved on, look again. */
export function goOn(turn: Turn): boolean {
  const { rollout } = turn
  const { tasks, policy, progress } = rollout
  const failures = failuresOver(rollout)
  if (failures.length > 0) return reactToFailures(turn, failures)
  if (progress.hold?.kind === 'control_plane_restart') holdUntilHeard(turn)
  const { hold: held } = turn.rollout.progress
  if (held) return stay(turn, 'paused', because.held(held, turn.rollout))
  if (progress.phase === 'waiting') return beginWave(turn)
  if (rollout.isStorageFull) return holdForStorage(turn)
  const late = tasks.filter(isLate)
  if (late.length > 0) return stay(turn, 'paused', because.late(late))
  if (progress.phase === 'soaking') return soak(turn)
  if (leaveOut(turn)) return true
  const sent = dispatch(turn)
  if (sent.isWaiting) return stay(turn, 'running', because.waiting(turn.rollout, sent.withoutRoom))
  if (!isWaveProven(turn.rollout)) {
    if (standIn(turn)) return true
    const called = callTheRest(turn)
    if (called.length > 0) return stay(turn, 'running', because.nobodyThere(turn.rollout, called))
  }
  const { pending, total } = countTasks(turn.rollout.tasks)
  if (pending > 0 && !turn.rollout.tasks.some(isProven)) {
    return stay(turn, 'paused', because.unreached(total))
  }
  const unreached = turn.rollout.tasks.filter(isMissed)
  if (unreached.length * 100 > policy.maxUnreachablePercent * total) {
    return stay(turn, 'paused', because.tooManyAway(unreached, policy.maxUnreachablePercent))
  }
  if (isToSoak(turn.rollout)) setProgress(turn, { phase: 'soaking', soakedMs: 0, verdict: null })
  else finishWave(turn)
  return true
}

/** Only people know why it was full, so they say when it goes on. */
function holdForStorage(turn: Turn): boolean {
  hold(turn, 'storage_full', { cause: 'storage_was_full' })
  return true
}

/** What nodes under way did meanwhile nobody knows until they speak. */
export function holdUntilHeard(turn: Turn): void {
  const unheard = unheardOf(turn.rollout)
  if (unheard.length === 0) setProgress(turn, { hold: null })
  else hold(turn, 'control_plane_restart', because.unheard(unheard))
}

/** Of the wave under way: those that were offered the version and are to be well with it. */
export const unheardOf = ({ tasks, progress }: Rollout) =>
  tasks.filter(
    (task) =>
      task.wave === progress.wave &&
      !task.isConnected &&
      !task.isExcused &&
      (task.state === 'healthy' || MOVING.includes(task.state)),
  )

const isMissed = (task: Task) =>
  task.state === 'unreachable' && !task.isExcused && !(isDeferred(task) && mayBeOffered(task))

/** No wave rests on the proof of another: each has one of its own. */
const isWaveProven = ({ tasks, progress }: Rollout) =>
  tasks.some((task) => task.wave === progress.wave && isProof(task))

const isToSoak = ({ tasks, progress }: Rollout) =>
  tasks.some((task) => task.wave === progress.wave && task.state === 'healthy' && isProof(task))

/**
 * Nobody of the wave is left to prove the version: one node of a later one does in its place, or one that was
 * put off and has returned; not all of them.
 */
function standIn(turn: Turn): boolean {
  const { tasks, progress } = turn.rollout
  const later = tasks.filter(
    (task) => task.wave > progress.wave && (task.state === 'pending' || isDeferred(task)),
  )
  const ready = later.find(isReady)
  const one = ready ?? lastOfAll(later.filter(({ state }) => state === 'pending'))
  if (!one) return false
  if (ready) setProgress(turn, { standIn: because.standIn(ready, whoIsMissing(turn.rollout)) })
  put(turn, one, { ...one, wave: progress.wave })
  return true
}

const isReady = (task: Task) => task.cordon === null && mayBeOffered(task)

/** Of those that are cordoned, when nobody else may come: it is passed by. */
const lastOfAll = (pending: readonly Task[]) =>
  pending.every(({ cordon }) => cordon !== null) ? pending[0] : undefined

const whoIsMissing = ({ tasks, progress }: Rollout) =>
  tasks.filter((task) => (task.wave === progress.wave && !isProof(task)) || isDeferred(task))

/** Nobody who could stand in is there: each has a moment to appear, and is put off after it. */
function callTheRest(turn: Turn): Task[] {
  const { progress } = turn.rollout
  const rest = turn.rollout.tasks.filter(
    (task) => task.wave > progress.wave && task.state === 'pending',
  )
  callAbsent(turn, rest)
  return rest
}

/** A wave that is under way goes on when a change window closes; the next one waits for it to open. */
function beginWave(turn: Turn): boolean {
  const { closed, progress, tasks } = turn.rollout
  // Into a wave that is empty one of a later one comes.
  const isOfIt = (task: Task) => task.wave === progress.wave && isUnanswered(task)
  const mayCome = (task: Task) =>
    task.wave > progress.wave && (task.state === 'pending' || (isDeferred(task) && isReady(task)))
  const hasNodes = tasks.some((task) => isOfIt(task) || mayCome(task))
  if (closed !== null && hasNodes) return stay(turn, 'paused', because.closed(closed, progress))
  setProgress(turn, { phase: 'dispatching' })
  return true
}

/** Those that are too many; what is worst decides. */
function failuresOver({ tasks, policy, progress }: Rollout): Task[] {
  // Who was left out would have refused it.
  const failures = [...tasks.filter(hasFailed), ...tasks.filter(isMissing)]
  const isGrave = failures.some(
    (task) => task.state === 'unhealthy' || task.state === 'apply_stuck' || isConflict(task),
  )
  const sofar = tasks.filter((task) => task.wave <= progress.wave).length
  const allowed = progress.wave === 0 ? 0 : Math.floor((sofar * policy.maxFailedPercent) / 100)
  return isGrave || failures.length > allowed ? failures : []
}

/** A refusal changed nothing, and what is stuck no rollout can mend: neither is a reason to go back. */
function reactToFailures(turn: Turn, failures: readonly Task[]): boolean {
  const isStuck = failures.some(({ state }) => state === 'apply_stuck')
  const harmed = failures.filter(({ state }) => state === 'unhealthy' || state === 'apply_reverted')
  const [first] = harmed
  const { onFailure } = turn.rollout.policy
  if (isStuck || !first || onFailure === 'pause') {
    return stay(turn, 'paused', because.failed(failures))
  }
  react(turn, onFailure, 'gate_failed', { cause: 'node_failed', failed: because.told(first) })
  return false
}

const isMissing = (task: Task) => isLeftOut(task) && !task.isExcused

/** Nobody is offered what one like it refused. True: there was somebody. */
function leaveOut(turn: Turn): boolean {
  const { tasks } = turn.rollout
  const refusers = tasks.filter(saysOfOthers)
  if (refusers.length === 0) return false
  let isAny = false
  for (const task of tasks.filter(isToBeOffered)) {
    const refuser = refusers.find((one) => isAlike(task, one))
    if (!refuser) continue
    put(turn, task, leftOut(task, refuser))
    isAny = true
  }
  return isAny
}

/** Offers what there is room for. withoutRoom: how many only the farm's budget keeps waiting. */
function dispatch(turn: Turn): { isWaiting: boolean; withoutRoom: number } {
  const { progress, policy } = turn.rollout
  const isBounded = policy.maxParallel !== null
  passBy(
    turn,
    turn.rollout.tasks.filter((task) => task.wave === progress.wave || isDeferred(task)),
  )
  const inWave = turn.rollout.tasks.filter((task) => task.wave === progress.wave)
  if (isBounded) callAbsent(turn, inWave)
  const may = inWave.filter(isToBeOffered)
  const able = may.filter((task) => !isBounded || (task.isConnected && task.offers < MAX_OFFERS))
  const withoutRoom = offerTo(turn, able)
  const waits = (task: Task) => isOpen(task) || able.includes(task)
  const isWaiting = turn.rollout.tasks.some((task) => task.wave === progress.wave && waits(task))
  return { isWaiting, withoutRoom }
}

/** Its turn has come, or it was out of reach when it had, or refused for now. */
const isToBeOffered = (task: Task) =>
  isDeferred(task) || (task.state === 'pending' && !isPutOffByItself(task))

/** Who is not there when its turn comes has a moment to appear. */
function callAbsent(turn: Turn, tasks: readonly Task[]): void {
  for (const task of tasks) {
    if (task.state !== 'pending' || isPutOffByItself(task)) continue
    if (task.isConnected && task.deadlineMs !== null) put(turn, task, { ...task, deadlineMs: null })
    if (!task.isConnected && task.deadlineMs === null) {
      put(turn, task, { ...task, deadlineMs: turn.rollout.policy.ackMs })
    }
  }
}

/** It is over, and they return one by one. */
export function offerToStragglers(turn: Turn): void {
  if (turn.rollout.isStorageFull) return
  passBy(turn, turn.rollout.tasks)
  leaveOut(turn)
  // It said that they would take the version.
  if (turn.transitions.some(({ to }) => to === 'skipped')) {
    move(turn, 'succeeded', because.succeeded(turn.rollout.tasks))
  }
  offerTo(turn, turn.rollout.tasks.filter(isToBeOffered))
}

/** How many only the farm's budget keeps waiting. */
function offerTo(turn: Turn, tasks: readonly Task[]): number {
  const { policy, tasks: all, room: farmRoom } = turn.rollout
  const able = tasks.filter((task) => policy.maxParallel === null || mayBeOffered(task))
  const unproven = all.filter(isUnproven).length
  const within = (limit: number) => Math.min(able.length, Math.max(0, limit - unproven))
  const room = within(Math.min(most(policy), farmRoom ?? Number.POSITIVE_INFINITY))
  for (const { nodeId } of able.slice(0, room)) turn.effects.push({ kind: 'offer', nodeId })
  return within(most(policy)) - room
}

const mayBeOffered = (task: Task) => task.isConnected && task.offers < MAX_OFFERS

const most = ({ maxParallel, blastBudget }: Policy) =>
  Math.min(maxParallel ?? Number.POSITIVE_INFINITY, blastBudget ?? Number.POSITIVE_INFINITY)

/** The wave's nodes are healthy: time, and evidence where it is asked for, say whether it is through. */
function soak(turn: Turn): boolean {
  const { policy, progress } = turn.rollout
  if (!isToSoak(turn.rollout)) {
    // Whoever was watched is gone, or an operator went on without: what was seen of it proves nothing.
    setProgress(turn, { phase: 'dispatching', soakedMs: 0, verdict: null })
    return true
  }
  const away = awayOf(turn.rollout)
  if (away.length > 0) return stay(turn, 'paused', because.away(away))
  if (progress.soakedMs < policy.soakMs) return stay(turn, 'running', because.soaking(turn.rollout))
  const verdict = policy.gates.length > 0 && !policy.isAlone ? progress.verdict?.verdict : 'pass'
  if (verdict === 'pass') {
    finishWave(turn)
    return true
  }
  if (progress.soakedMs < policy.maxSoakMs) {
    return stay(turn, 'running', because.awaitingEvidence(turn.rollout))
  }
  const kind = verdict === 'inconclusive' ? 'gate_inconclusive' : 'gate_no_data'
  hold(turn, kind, because.noEvidence(turn.rollout))
  return true
}

export const awayOf = ({ tasks, progress }: Rollout) =>
  tasks.filter(
    (task) =>
      task.wave === progress.wave &&
      task.state === 'healthy' &&
      !task.isConnected &&
      !task.isExcused,
  )

export function finishWave(turn: Turn): void {
  const { progress } = turn.rollout
  settleTasks(turn)
  const { wave, waves } = progress
  if (wave < waves) {
    if (waves > 1) {
      const [from, to] = [`wave-${wave}`, `wave-${wave + 1}`]
      turn.transitions.push({ nodeId: null, from, to, cause: turn.cause, isWave: true })
    }
    const begun = { phase: 'waiting' as const, soakedMs: 0, verdict: null, standIn: null }
    setProgress(turn, { wave: wave + 1, ...begun })
    return
  }
  const { tasks } = turn.rollout
  if (tasks.some(isProven)) {
    move(turn, 'succeeded', because.succeeded(tasks))
    turn.effects.push({ kind: 'release' })
  } else {
    endUnproven(turn)
  }
  turn.effects.push({ kind: 'release-leases' })
}

/** New nodes must not get what nobody was ever well with. */
function endUnproven(turn: Turn): void {
  const { tasks } = turn.rollout
  for (const task of tasks.filter(isUnanswered)) giveUp(turn, task, 'nobody proved the version')
  move(turn, 'cancelled', because.unproven(tasks))
}
