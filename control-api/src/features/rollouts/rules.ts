// SPDX-License-Identifier: MIT
// The rollout engine's decisions: (state, event) → (state, effects). No clock, no I/O; engine.ts
// stores what comes out and then acts on it.
//
//   running     a wave is under way: its nodes are offered the version, then watched, then judged
//   paused      somebody or something holds it; nothing more is offered; says what would move it on
//   succeeded   every node has it, but for those that were out of reach (they take it when they return)
//   reverting   what had begun to apply it gets back what it had before, newest wave first
//   reverted    all of them have it again
//   revert_incomplete   all but those that cannot be reached or could not go back; turns into reverted
//   frozen      ended as it is: who has not answered yet is not asked any more
// running and paused follow from the tasks and from what holds, so a late answer can end a pause;
// succeeded, reverted and frozen are for ever. Tasks go on after that: a node that was acknowledged to be
// applying ends that, and one that was out of reach when the rollout succeeded takes the version on return.
import {
  type Command,
  DEADLINES,
  type Effect,
  type Evaluated,
  type HoldKind,
  isTerminal,
  MAX_OFFERS,
  type NodeEvent,
  type Outcome,
  type Policy,
  type Progress,
  RECONCILIATION_GRACE_MS,
  type Rollout,
  type RolloutEvent,
  type Task,
  type Transition,
} from './model.ts'
import * as reasons from './reasons.ts'
import type { OnFailure, RolloutState, TaskState } from './schema.ts'
import {
  advance,
  countTasks,
  hasBegun,
  hasFailed,
  isDeferred,
  isLate,
  isOnItsWayBack,
  isOpen,
  isToBeLeft,
  isUnanswered,
  isUnproven,
  skip,
} from './tasks.ts'

/** One event's work: what it has made of the rollout so far. */
type Turn = { rollout: Rollout; cause: string; effects: Effect[]; transitions: Transition[] }

export function reduce(rollout: Rollout, event: RolloutEvent): Outcome {
  const turn: Turn = { rollout, cause: causeOf(event), effects: [], transitions: [] }
  take(turn, event)
  // Of its own offers nothing follows: the others of the same turn are on their way.
  const isOwnOffer = event.kind === 'offered' && rollout.progress.goesBack === null
  if (!isOwnOffer && event.kind !== 'heard-again') settle(turn)
  const { effects, transitions } = turn
  return { rollout: turn.rollout, effects, transitions }
}

function causeOf(event: RolloutEvent): string {
  if (!('actor' in event)) return event.kind
  const why = 'why' in event && event.why !== '' ? `: ${event.why}` : ''
  return `${event.kind} by ${event.actor}${why}`
}

function take(turn: Turn, event: RolloutEvent): void {
  switch (event.kind) {
    case 'started':
      move(turn, 'running', '')
      break
    case 'heard-again':
      awaitAnew(turn)
      break
    case 'elapsed':
      letPass(turn, event.ms)
      break
    case 'superseded':
      leave(turn, event.nodeIds, `superseded by ${event.by}`)
      break
    case 'evaluated':
      takeVerdict(turn, event)
      break
    case 'freeze':
    case 'pause':
    case 'resume':
    case 'skip-gate':
    case 'revert':
      if (whyNot(turn.rollout, event.kind) === null) obey(turn, event)
      break
    default:
      takeNodeEvent(turn, event)
  }
}

/** Why the command means nothing now; null: it may be given. */
export function whyNot({ state, progress }: Rollout, command: Command['kind']): string | null {
  if (isTerminal(state)) return `It has ended as ${state}.`
  if (command === 'freeze') return null
  if (progress.goesBack !== null) return 'It goes back already; only freeze ends that.'
  switch (command) {
    case 'pause':
      return progress.hold?.kind === 'manual' ? 'It is paused already.' : null
    case 'resume':
      return state === 'paused' ? null : 'It is not paused.'
    case 'skip-gate':
      return progress.phase === 'soaking' ? null : 'No gate is being waited for.'
    case 'revert':
      return null
  }
}

/** What is being taken back nobody keeps: without our word the node goes back by itself. */
export function mayKeep(
  { progress, tasks }: Rollout,
  offer: { nodeId: string; generation: number },
): boolean {
  if (progress.goesBack === null) return true
  const task = tasks.find(({ nodeId }) => nodeId === offer.nodeId)
  return task?.generation === offer.generation
}

/** Who owns nodes that another wants: in whose way it is, or whom it freezes to have them. */
export function overlap(
  holders: readonly string[],
  onOverlap: 'refuse' | 'supersede',
): { refusedBy: string | null; giveWay: readonly string[] } {
  const [first = null] = holders
  return onOverlap === 'refuse'
    ? { refusedBy: first, giveWay: [] }
    : { refusedBy: null, giveWay: [...new Set(holders)] }
}

function obey(turn: Turn, command: Command): void {
  const { actor } = command
  const why = 'why' in command && command.why !== '' ? `: ${command.why}` : ''
  switch (command.kind) {
    case 'freeze':
      freeze(turn, `${actor} froze it`)
      break
    case 'pause':
      hold(turn, 'manual', `${actor} paused it${why}.`)
      break
    case 'resume':
      resume(turn)
      break
    case 'skip-gate':
      setProgress(turn, { hold: null })
      finishWave(turn)
      break
    case 'revert':
      startBack(turn, `${actor} takes it back${why}.`)
  }
}

/** Whoever resumes has seen what is wrong, and goes on without it. */
function resume(turn: Turn): void {
  const { progress, policy, tasks } = turn.rollout
  const kind = progress.hold?.kind
  const isGate = kind?.startsWith('gate_') ?? false
  setProgress(turn, {
    hold: null,
    ...(kind === 'deadline' && { progressLeftMs: policy.progressDeadlineMs }),
    ...(isGate && { soakedMs: 0, verdict: null }),
  })
  if (kind !== undefined) return
  // As long as nobody has it, there is nothing to go on with.
  const isProven = countTasks(tasks).done > 0
  const away = awayOf(turn.rollout)
  for (const task of tasks) {
    const isAway = away.includes(task) || (isProven && task.state === 'unreachable')
    if (hasFailed(task) || isLate(task) || isAway) put(turn, task, { ...task, isExcused: true })
  }
}

function takeNodeEvent(turn: Turn, event: NodeEvent): void {
  const task = turn.rollout.tasks.find((candidate) => candidate.nodeId === event.nodeId)
  if (!task) return
  const path = advance(task, event, turn.rollout.policy)
  const after = path.at(-1)
  if (!after) return
  const isPutOff = event.kind === 'deadline' && isDeferred(after)
  // Its offer must not come to life when its turn is over.
  if (isPutOff) withdraw(turn, task)
  if (isPutOff) put(turn, task, { ...after, wave: turn.rollout.progress.waves })
  else put(turn, task, ...path)
}

function leave(turn: Turn, nodeIds: readonly string[], why: string): void {
  const left = new Set(nodeIds)
  for (const task of turn.rollout.tasks) {
    if (!left.has(task.nodeId)) continue
    if (isUnanswered(task)) giveUp(turn, task, why)
    else if (isToBeLeft(task)) put(turn, task, skip(task, why))
  }
}

/** Silence while we could not hear says nothing. What had overrun its time before stays overrun. */
function awaitAnew(turn: Turn): void {
  const { policy, progress } = turn.rollout
  for (const task of turn.rollout.tasks) {
    const deadlineMs = deadlineAnew(task, turn.rollout)
    if (deadlineMs !== task.deadlineMs) put(turn, task, { ...task, deadlineMs })
  }
  if (isTerminal(turn.rollout.state)) return
  const { progressLeftMs } = progress
  if (policy.progressDeadlineMs !== null || progress.phase === 'soaking') {
    setProgress(turn, {
      soakedMs: 0,
      verdict: null,
      progressLeftMs: progressLeftMs === null ? null : progressLeftMs + RECONCILIATION_GRACE_MS,
    })
  }
}

function deadlineAnew(task: Task, { policy, progress }: Rollout): number | null {
  if (task.state === 'confirmed') return task.isConnected ? policy.minHealthyMs : null
  const isCalled = task.state === 'pending' && policy.maxParallel !== null
  const isAwaited = task.deadlineMs || (isCalled && task.wave === progress.wave)
  const stepMs = STEP_MS[task.state]
  return isAwaited && stepMs ? stepMs + RECONCILIATION_GRACE_MS : task.deadlineMs
}

const STEP_MS: Partial<Record<TaskState, number>> = {
  pending: DEADLINES.ackMs,
  offered: DEADLINES.ackMs,
  applying: DEADLINES.applyMs,
  applied: DEADLINES.confirmMs,
  reverting: DEADLINES.applyMs,
}

function letPass(turn: Turn, ms: number): void {
  const { state, progress, policy } = turn.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  if (progress.phase === 'soaking' && progress.hold === null && awayOf(turn.rollout).length === 0) {
    setProgress(turn, { soakedMs: progress.soakedMs + ms })
  }
  const { progressLeftMs, hold: held } = progress
  if (progressLeftMs === null || held?.kind === 'manual' || held?.kind === 'deadline') return
  setProgress(turn, { progressLeftMs: Math.max(0, progressLeftMs - ms) })
  if (progressLeftMs > ms) return
  const seconds = (policy.progressDeadlineMs ?? 0) / 1000
  react(turn, policy.onFailure, 'deadline', `No further node became healthy within ${seconds} s.`)
}

/** Evidence against it counts at any time, evidence for it only once the wave is whole. */
function takeVerdict(turn: Turn, { wave, verdict, onFail, message }: Evaluated): void {
  const { state, progress } = turn.rollout
  if (isTerminal(state) || progress.goesBack !== null) return
  const isOfNow = wave === progress.wave && progress.phase === 'soaking'
  if (verdict === 'fail') react(turn, onFail, 'gate_failed', `${message}.`)
  else if (isOfNow) setProgress(turn, { verdict: { verdict, message } })
}

function react(turn: Turn, onFailure: OnFailure, kind: HoldKind, message: string): void {
  // Whoever paused it by hand stays the one to ask.
  const isHeldByHand = turn.rollout.progress.hold?.kind === 'manual'
  if (onFailure === 'freeze') freeze(turn, message)
  else if (onFailure === 'revert') goBackByItself(turn, message)
  else if (!isHeldByHand) hold(turn, kind, message)
}

const hold = (turn: Turn, kind: HoldKind, message: string) =>
  setProgress(turn, { hold: { kind, message } })

/** What the tasks make of the rollout. */
function settle(turn: Turn): void {
  rearm(turn)
  while (!isOver(turn) && goOn(turn));
  const { state } = turn.rollout
  if (isTerminal(state)) settleTasks(turn)
  else if (turn.rollout.progress.goesBack !== null) goOnBack(turn)
  if (state === 'succeeded') offerTo(turn, turn.rollout.tasks.filter(isDeferred))
}

/** It goes on no further: only back, or not at all. */
const isOver = ({ rollout: { state, progress } }: Turn) =>
  isTerminal(state) || progress.goesBack !== null

/** A task becomes healthy once, so a node that comes and goes is no progress. */
function rearm(turn: Turn): void {
  const { policy, progress } = turn.rollout
  const isOneMore = turn.transitions.some(({ to, nodeId }) => to === 'healthy' && nodeId !== null)
  if (isOneMore && progress.progressLeftMs !== null) {
    setProgress(turn, { progressLeftMs: policy.progressDeadlineMs })
  }
}

/** Nothing more is waited for: what is healthy is done. */
function settleTasks(turn: Turn): void {
  for (const task of turn.rollout.tasks) {
    if (task.state === 'healthy') put(turn, task, { ...task, state: 'done' })
  }
}

/** One look at the wave; true: it moved on, look again. */
function goOn(turn: Turn): boolean {
  const { rollout } = turn
  const { tasks, policy, progress } = rollout
  const failures = failuresOver(rollout)
  if (failures.length > 0) return reactToFailures(turn, failures)
  if (progress.hold) return stay(turn, 'paused', reasons.held(progress.hold))
  const late = tasks.filter(isLate)
  if (late.length > 0) return stay(turn, 'paused', reasons.late(late))
  if (progress.phase === 'soaking') return soak(turn)
  if (dispatch(turn)) return stay(turn, 'running', reasons.waiting(turn.rollout))
  const { done, pending, total } = countTasks(tasks)
  if (done === 0 && pending > 0) {
    return callBack(turn) || stay(turn, 'paused', reasons.unreached(total))
  }
  const unreached = tasks.filter(isMissed)
  if (unreached.length * 100 > policy.maxUnreachablePercent * total) {
    return stay(turn, 'paused', reasons.tooManyAway(unreached, policy.maxUnreachablePercent))
  }
  const hasNews = tasks.some((task) => task.wave === progress.wave && task.state === 'healthy')
  if (hasNews) setProgress(turn, { phase: 'soaking', soakedMs: 0, verdict: null })
  else finishWave(turn)
  return true
}

const isMissed = (task: Task) =>
  task.state === 'unreachable' && !task.isExcused && !(isDeferred(task) && mayBeOffered(task))

/** Of those put off, the first to return proves the version, for all others of the wave are gone. */
function callBack(turn: Turn): boolean {
  const { tasks, progress } = turn.rollout
  const returned = tasks.find((task) => isDeferred(task) && mayBeOffered(task))
  if (!returned || returned.wave === progress.wave) return false
  put(turn, returned, { ...returned, wave: progress.wave })
  return true
}

/** Those that are too many; what is worst decides. */
function failuresOver({ tasks, policy, progress }: Rollout): Task[] {
  const failures = tasks.filter(hasFailed)
  const isGrave = failures.some(({ state }) => state === 'unhealthy' || state === 'apply_stuck')
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
    return stay(turn, 'paused', reasons.failed(failures))
  }
  react(turn, onFailure, 'gate_failed', reasons.tell(first))
  return false
}

/** Offers what there is room for; true: the wave waits for nodes. */
function dispatch(turn: Turn): boolean {
  const { progress, policy } = turn.rollout
  const isBounded = policy.maxParallel !== null
  const inWave = turn.rollout.tasks.filter((task) => task.wave === progress.wave)
  if (isBounded) callAbsent(turn, inWave)
  const may = inWave.filter((task) => task.state === 'pending' || isDeferred(task))
  const able = may.filter((task) => !isBounded || (task.isConnected && task.offers < MAX_OFFERS))
  offerTo(turn, able)
  const waits = (task: Task) => isOpen(task) || able.includes(task)
  return turn.rollout.tasks.some((task) => task.wave === progress.wave && waits(task))
}

/** Who is not there when its turn comes has a moment to appear. */
function callAbsent(turn: Turn, tasks: readonly Task[]): void {
  for (const task of tasks) {
    if (task.state !== 'pending') continue
    if (task.isConnected && task.deadlineMs !== null) put(turn, task, { ...task, deadlineMs: null })
    if (!task.isConnected && task.deadlineMs === null) {
      put(turn, task, { ...task, deadlineMs: DEADLINES.ackMs })
    }
  }
}

function offerTo(turn: Turn, tasks: readonly Task[]): void {
  const { rollout } = turn
  const room = most(rollout.policy) - rollout.tasks.filter(isUnproven).length
  const able = tasks.filter((task) => rollout.policy.maxParallel === null || mayBeOffered(task))
  for (const { nodeId } of able.slice(0, Math.max(0, room))) {
    turn.effects.push({ kind: 'offer', nodeId })
  }
}

const mayBeOffered = (task: Task) => task.isConnected && task.offers < MAX_OFFERS
const most = ({ maxParallel, blastBudget }: Policy) =>
  Math.min(maxParallel ?? Number.POSITIVE_INFINITY, blastBudget ?? Number.POSITIVE_INFINITY)

/** The wave's nodes are healthy: time, and evidence where it is asked for, say whether it is through. */
function soak(turn: Turn): boolean {
  const { policy, progress } = turn.rollout
  const away = awayOf(turn.rollout)
  if (away.length > 0) return stay(turn, 'paused', reasons.away(away))
  if (progress.soakedMs < policy.soakMs) return stay(turn, 'running', reasons.soaking(turn.rollout))
  const verdict = policy.gates.length > 0 ? progress.verdict?.verdict : 'pass'
  if (verdict === 'pass') {
    finishWave(turn)
    return true
  }
  if (progress.soakedMs < policy.maxSoakMs) {
    return stay(turn, 'running', reasons.awaitingEvidence(turn.rollout))
  }
  const message = progress.verdict?.message ?? 'no evidence was gathered'
  const kind = verdict === 'inconclusive' ? 'gate_inconclusive' : 'gate_no_data'
  hold(turn, kind, `After ${policy.maxSoakMs / 1000} s: ${message}.`)
  return true
}

const awayOf = ({ tasks, progress }: Rollout) =>
  tasks.filter(
    (task) =>
      task.wave === progress.wave &&
      task.state === 'healthy' &&
      !task.isConnected &&
      !task.isExcused,
  )

function finishWave(turn: Turn): void {
  const { progress } = turn.rollout
  settleTasks(turn)
  const { wave, waves } = progress
  if (wave < waves) {
    if (waves > 1) {
      const [from, to] = [`wave-${wave}`, `wave-${wave + 1}`]
      turn.transitions.push({ nodeId: null, from, to, cause: turn.cause, isWave: true })
    }
    setProgress(turn, { wave: wave + 1, phase: 'dispatching', soakedMs: 0, verdict: null })
    return
  }
  move(turn, 'succeeded', reasons.succeeded(turn.rollout.tasks))
  turn.effects.push({ kind: 'release' }, { kind: 'release-leases' })
}

function freeze(turn: Turn, by: string): void {
  // Told of the nodes as they were: who is not asked any more is one of those that keep what they have.
  const reason = reasons.frozen(turn.rollout.tasks, by)
  for (const task of turn.rollout.tasks) {
    const isWaiting = task.state === 'reverting' && task.generation === null
    if (isUnanswered(task)) giveUp(turn, task, 'the rollout was frozen before it answered')
    else if (isWaiting) put(turn, task, skip(task, 'the rollout was frozen before it went back'))
  }
  settleTasks(turn)
  move(turn, 'frozen', reason)
  turn.effects.push({ kind: 'release-leases' })
}

function giveUp(turn: Turn, task: Task, message: string): void {
  if (task.generation !== null) withdraw(turn, task)
  put(turn, task, skip(task, message))
}

function withdraw(turn: Turn, { nodeId, generation }: Task): void {
  if (generation !== null) turn.effects.push({ kind: 'withdraw', nodeId, generation })
}

/** Without anything to go back to, the farm is better off as it is than with nothing. */
function goBackByItself(turn: Turn, why: string): void {
  const begun = turn.rollout.tasks.filter(hasBegun)
  const isHopeless = begun.length > 0 && begun.every((task) => task.previous === null)
  if (isHopeless) freeze(turn, `${why} There is nothing to go back to, so it is frozen`)
  else startBack(turn, why)
}

function startBack(turn: Turn, why: string): void {
  for (const task of turn.rollout.tasks) {
    if (isUnanswered(task)) giveUp(turn, task, 'the rollout went back before it answered')
    else if (hasBegun(task)) put(turn, task, turnedBack(task))
  }
  setProgress(turn, { goesBack: why, hold: null })
  move(turn, 'reverting', why)
}

function turnedBack(task: Task): Task {
  const turned = { ...task, generation: null, deadlineMs: null, offers: 0, code: null, errors: [] }
  return task.previous
    ? { ...turned, state: 'reverting', message: '' }
    : {
        ...task,
        state: 'revert_failed',
        deadlineMs: null,
        message: 'it had no confirmed config before this one',
      }
}

function goOnBack(turn: Turn): void {
  giveBack(turn)
  const { rollout } = turn
  const left = rollout.tasks.filter(
    ({ state }) => state === 'reverting' || state === 'revert_failed',
  )
  const busy = left.some((task) => task.state === 'reverting' && task.deadlineMs !== 0)
  const wasIncomplete = rollout.state === 'revert_incomplete'
  const isUnderWay = busy && !wasIncomplete
  if (left.length === 0) move(turn, 'reverted', reasons.back(rollout))
  else if (isUnderWay) move(turn, 'reverting', reasons.goingBack(rollout))
  else move(turn, 'revert_incomplete', reasons.backButFor(rollout, left))
  if (!isUnderWay && !wasIncomplete) turn.effects.push({ kind: 'release-leases' })
}

/** Newest wave first. Who is not there takes no room: its assignment waits for it. */
function giveBack(turn: Turn): void {
  const { tasks, policy } = turn.rollout
  let room = (policy.blastBudget ?? Number.POSITIVE_INFINITY) - tasks.filter(isOnItsWayBack).length
  const waiting = tasks
    .filter((task) => task.state === 'reverting' && task.generation === null)
    .filter((task) => task.deadlineMs === null)
    .toSorted((a, b) => b.wave - a.wave)
  for (const task of waiting) {
    if (!task.previous || (task.isConnected && room-- <= 0)) continue
    const { nodeId, previous } = task
    put(turn, task, { ...task, deadlineMs: DEADLINES.ackMs })
    turn.effects.push({ kind: 'give-back', nodeId, generation: previous.generation })
  }
}

/** Replaces the task by the last of the path; each change of state is a transition. */
function put(turn: Turn, task: Task, ...path: Task[]): void {
  const after = path.at(-1)
  if (!after) return
  const { rollout, cause } = turn
  turn.rollout = { ...rollout, tasks: rollout.tasks.map((one) => (one === task ? after : one)) }
  let from = task.state
  for (const { state } of path) {
    if (state !== from) turn.transitions.push({ nodeId: task.nodeId, from, to: state, cause })
    from = state
  }
}

function setProgress(turn: Turn, change: Partial<Progress>): void {
  const { rollout } = turn
  turn.rollout = { ...rollout, progress: { ...rollout.progress, ...change } }
}

function move(turn: Turn, state: RolloutState, reason: string): void {
  const { rollout, transitions, cause } = turn
  const from = rollout.state
  if (from !== state) transitions.push({ nodeId: null, from, to: state, cause })
  if (from !== state || rollout.reason !== reason) turn.rollout = { ...rollout, state, reason }
}

/** There is nothing to do until the next event. */
function stay(turn: Turn, state: RolloutState, reason: string): false {
  move(turn, state, reason)
  return false
}
