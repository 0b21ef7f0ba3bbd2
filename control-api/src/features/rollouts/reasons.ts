// SPDX-License-Identifier: MIT
// Why a rollout is in its state and what would move it on, in sentences for whoever is on call.
import type { Hold, Policy, Progress, Rollout, Task } from './model.ts'
import { isConflict, isLeftOut, isOfItsKind, isOfItsOwner } from './refusals.ts'
import { countTasks, isOpen, isUnanswered, wasPassedBy } from './tasks.ts'

const WAY_OUT = 'Revert takes back what was changed, freeze ends the rollout as it is.'

export const STORAGE_WAS_FULL =
  'The disk of the control plane was full, so that nothing more could be decided.'
export const STORAGE_IS_FULL = 'The disk of the control plane is full: make room, then resume.'

export const RESUME_IS_NOTHING =
  'It would change nothing: what it waits for is in its reason, and nobody can go on without that.'

export function waiting(rollout: Rollout, withoutRoom: number): string {
  const { done, total } = countTasks(rollout.tasks)
  const { wave } = rollout.progress
  const open = rollout.tasks.filter((task) => task.wave === wave && isOpen(task))
  const forWhom = open.length > 0 ? `; waiting for ${names(open)}` : ''
  return `${inWave(rollout)}${done} of ${total} nodes have the version${forWhom}.${noRoom(withoutRoom, rollout.roomHeldBy)}`
}

function noRoom(nodes: number, heldBy: readonly string[]): string {
  if (nodes === 0) return ''
  const leave = heldBy.length > 1 ? 'leave' : 'leaves'
  const forWhat = heldBy.length > 0 ? `until ${some(heldBy)} ${leave} room` : 'for room'
  return ` ${nodes} of them ${nodes > 1 ? 'wait' : 'waits'} ${forWhat} in the farm's blast budget.`
}

function inWave({ progress, policy }: Pick<Rollout, 'progress' | 'policy'>) {
  return `${whichWave({ progress, policy })}${progress.standIn ? `${progress.standIn} ` : ''}`
}

/** Of the nodes that were to prove the version, and of who does it for them. */
export function standIn(task: Task, missing: readonly Task[]): string {
  const forWhom = missing.length > 0 ? names(missing) : 'the nodes of the wave'
  return `${task.nodeName} takes the place of ${forWhom}.`
}

export function nobodyThere(rollout: Rollout, called: readonly Task[]): string {
  return `${inWave(rollout)}nobody of the wave is left to prove the version; the next node that is there does: ${names(called)}.`
}

function whichWave({ progress: { wave, waves }, policy }: Pick<Rollout, 'progress' | 'policy'>) {
  const fast = policy.isFastPath
    ? 'Fast path, for the version succeeded not long ago: gates that only pause are left out. '
    : ''
  if (waves === 1) return fast
  return wave < waves
    ? `${fast}Wave ${wave + 1} of ${waves}: `
    : `${fast}The last wave, of nodes that were out of reach: `
}

export const soaking = ({ policy, progress }: Rollout) =>
  `${inWave({ policy, progress })}its nodes are healthy and are watched for ${policy.soakMs / 1000} s before the next wave begins.`

export function awaitingEvidence({ policy, progress }: Rollout): string {
  const { message = 'evidence is being gathered', verdict } = progress.verdict ?? {}
  const isProbed = policy.probes.length > 0 && verdict === 'no_data'
  const probed = isProbed ? ' Nodes fetch its probes from themselves meanwhile.' : ''
  return `${inWave({ policy, progress })}its nodes are healthy; ${message}.${probed} Without evidence it pauses after ${policy.maxSoakMs / 1000} s.`
}

export const away = (tasks: readonly Task[]) =>
  `${names(tasks)} took the version and ${tasks.length > 1 ? 'are' : 'is'} not connected. It goes on by itself on return, resume goes on without. ${WAY_OUT}`

export const closed = (why: string, { wave, waves }: Progress) =>
  `${why} ${wave < waves ? `Wave ${wave + 1} of ${waves}` : 'The last wave, of nodes that were out of reach,'} begins by itself then. ${WAY_OUT}`

export function failed(tasks: readonly Task[]): string {
  const [first] = tasks
  if (!first) return ''
  const them = tasks.length > 1 ? 'them' : 'it'
  const without = tasks.filter(isLeftOut)
  const failures = tasks.length - without.length
  const more = `${andMore(failures)}${ofItsKind(first)}${ofItsOwner(first)}${leftOut(without)}`
  return `${tell(first)}${more} Resume goes on without ${them}. ${WAY_OUT}`
}

const ofItsKind = (task: Task) =>
  isOfItsKind(task)
    ? ` Nodes of its kind with the same text are not offered it; a plan can leave out all of its kind, ${task.kind} ("excludeKinds" in an order’s strategy).`
    : ''

const ofItsOwner = (task: Task) =>
  isOfItsOwner(task)
    ? ' Only the owner of its machine can allow it, in a file there. Nodes with the same policy and the same text are not offered it.'
    : ''

const leftOut = (tasks: readonly Task[]) =>
  tasks.length > 0 ? ` Left out, for they would refuse it too: ${names(tasks)}.` : ''

export function late(tasks: readonly Task[]): string {
  const [first] = tasks
  if (!first) return ''
  return `${first.nodeName}: ${first.message}${andMore(tasks.length)} It goes on by itself when the node answers. ${WAY_OUT}`
}

export const unreached = (total: number) =>
  `None of ${total} nodes could be reached, so nothing is proven. It goes on by itself when one answers. ${WAY_OUT}`

export const tooManyAway = (tasks: readonly Task[], maxPercent: number) =>
  `${names(tasks)} cannot be reached: more than ${maxPercent} % of the nodes. It goes on by itself when enough are back, resume goes on without them. ${WAY_OUT}`

export function held({ kind, message }: Hold, { policy }: Pick<Rollout, 'policy'>): string {
  const onResume = {
    manual: 'Resume goes on.',
    gate_failed: 'Resume watches its nodes anew, skip-gate goes on without.',
    gate_no_data: 'Resume watches its nodes anew, skip-gate goes on without evidence.',
    gate_inconclusive: 'Resume watches its nodes anew, skip-gate goes on all the same.',
    deadline: 'Resume gives it that time again.',
    control_plane_restart: 'It goes on by itself then, resume goes on without them.',
    storage_full: 'Resume goes on once there is room again.',
  }
  const leftAlone = kind === 'gate_no_data' || kind === 'gate_inconclusive' ? ofTime(policy) : ''
  return `${message} ${onResume[kind]} ${WAY_OUT}${leftAlone}`
}

/** Its progress deadline runs on while evidence is wanted. */
function ofTime({ progressDeadlineMs, onFailure }: Policy): string {
  if (progressDeadlineMs === null || onFailure === 'pause') return ''
  const follows = onFailure === 'revert' ? 'goes back' : 'is frozen'
  return ` Left alone, it ${follows} once no further node became healthy for ${progressDeadlineMs / 1000} s.`
}

export const unheard = (tasks: readonly Task[]) =>
  `The control plane was away, and waits until the nodes under way have been heard again: ${names(tasks)}.`

export function frozen(tasks: readonly Task[], by: string): string {
  const { done, total } = countTasks(tasks)
  const applying = tasks.filter(
    (task) => isOpen(task) && !isUnanswered(task) && task.state !== 'reverting',
  )
  const going = applying.length > 0 ? ` ${names(applying)} had begun to apply it.` : ''
  return `${by}: ${done} of ${total} nodes have the version, the others keep what they have.${going} A new rollout moves them on.`
}

export const succeeded = (tasks: readonly Task[]) => `${whoHasIt(tasks)}${withoutCordoned(tasks)}`

/** Nobody has it, or nobody of whom more is known than that. */
export function unproven(tasks: readonly Task[]): string {
  const without = tasks.filter(({ isExcused }) => isExcused)
  const gone = tasks.filter(
    (task) => task.state === 'skipped' && !task.isExcused && !wasPassedBy(task),
  )
  const why = [
    ...(tasks.length === 0 ? ['there was no node to change'] : []),
    ...(without.length > 0 ? [`an operator went on without ${names(without)}`] : []),
    ...(gone.length > 0 ? [`${names(gone)} ${gone.length > 1 ? 'are' : 'is'} gone`] : []),
  ]
  const because = why.length > 0 ? `: ${why.join('; ')}` : ''
  return `Nothing is proven${because}.${withoutCordoned(tasks)} New nodes go on getting what was released before.`
}

function withoutCordoned(tasks: readonly Task[]): string {
  const passedBy = tasks.filter(wasPassedBy)
  if (passedBy.length === 0) return ''
  return ` ${names(passedBy)} ${passedBy.length > 1 ? 'were' : 'was'} skipped, being cordoned: the next rollout after that brings what is missing.`
}

function whoHasIt(tasks: readonly Task[]): string {
  const { done, total, pending } = countTasks(tasks)
  const away = tasks.filter((task) => task.state === 'unreachable')
  if (pending > 0) {
    return `${done} of ${total} nodes have the version; ${names(away)} will take it when reached.`
  }
  const without = tasks.filter((task) => task.isExcused && task.state !== 'done')
  if (without.length > 0) {
    return `${done} of ${total} nodes have the version; an operator went on without ${names(without)}.`
  }
  const missing = tasks.filter(
    (task) => task.state !== 'done' && task.code !== null && !wasPassedBy(task),
  )
  if (missing.length > 0) {
    return `${done} of ${done + missing.length} nodes have the version; ${names(missing)} ${missing.length > 1 ? 'do' : 'does'} not, which is within what may fail.`
  }
  if (tasks.every(({ offers }) => offers === 0)) {
    return `Nothing to do: ${done === 1 ? 'the node has' : `all ${done} nodes have`} the version already.`
  }
  return `${done === 1 ? 'The node has' : `All ${done} nodes have`} the version.`
}

export function goingBack({ progress, tasks }: Rollout): string {
  const { back } = countTasks(tasks)
  const open = tasks.filter((task) => task.state === 'reverting')
  return `${progress.goesBack} ${back} of ${back + open.length} nodes have again what they had; waiting for ${names(open)}. Freeze ends it as it is.`
}

export function backButFor({ progress, tasks }: Rollout, left: readonly Task[]): string {
  const { back } = countTasks(tasks)
  const failures = left.filter((task) => task.state === 'revert_failed')
  const still = left.filter((task) => task.state === 'reverting')
  const parts = [
    ...(still.length > 0 ? [`${names(still)} will go back when reached`] : []),
    ...(failures.length > 0 ? [`${names(failures)} could not go back: look there now`] : []),
  ]
  return `${progress.goesBack} ${haveAgain(back)}; ${parts.join('; ')}. A new rollout can have its nodes.`
}

export function back({ progress, tasks }: Rollout): string {
  const { back: count } = countTasks(tasks)
  const what = count === 0 ? 'No node had begun to apply it.' : `${haveAgain(count)}.`
  return `${progress.goesBack} ${what}`
}

const haveAgain = (nodes: number) =>
  nodes === 1 ? '1 node has again what it had' : `${nodes} nodes have again what they had`

export function tell(task: Task): string {
  const what: Partial<Record<Task['state'], string>> = {
    nacked: 'refused the version',
    unhealthy: 'is not well with the version',
    apply_reverted: 'went back to its last confirmed config',
    apply_stuck: 'could neither apply the version nor go back: look at it now',
    skipped: 'is left out',
  }
  // A gate's name is for programs: the message says what was measured.
  const isGate = task.state === 'unhealthy' && task.code !== 'flapping'
  const code = task.code && !isGate ? ` (${task.code})` : ''
  if (isConflict(task)) return `${task.nodeName} is in conflict with the version: ${task.message}.`
  const place = task.errors[0]?.line ? `, line ${task.errors[0].line}` : ''
  return `${task.nodeName} ${what[task.state] ?? 'failed'}${code}${task.message ? `: ${task.message}` : ''}${place}.`
}

const andMore = (count: number) =>
  count > 1 ? ` ${count - 1} more node${count > 2 ? 's' : ''} likewise.` : ''

const names = (tasks: readonly Task[]) => some(tasks.map((task) => task.nodeName))

function some(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(', ')
  const more = all.length - 3
  return more > 0 ? `${shown} and ${more} more` : shown
}
