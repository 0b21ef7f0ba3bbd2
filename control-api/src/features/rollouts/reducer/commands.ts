// SPDX-License-Identifier: MIT
// What somebody may ask of a rollout, when it means anything, and what follows. Pure.
import { freeze, hold, startBack } from './endings.ts'
import { excuse } from './excuses.ts'
import { goOnWithoutFiles } from './files-first.ts'
import { awayOf, finishWave, unheardOf } from './forward.ts'
import {
  type Command,
  isHeldByGate,
  isTerminal,
  isWaiting,
  type Rollout,
  type Task,
} from './model.ts'
import { whyNotBefore } from './queue.ts'
import { newReduction, type Reduction, setProgress } from './reduction.ts'
import { isLeftOut } from './refusals.ts'
import { settle } from './settle.ts'
import { hasFailed, isLate, isProven } from './tasks.ts'

const STORAGE_IS_FULL = 'The disk of the control plane is full: make room, then resume.'
const RESUME_IS_NOTHING =
  'It would change nothing: what it waits for is in its reason, and nobody can go on without that.'

/** What somebody may ask of a rollout; an approval changes nothing that the reducer knows. */
export type Action = Command['kind'] | 'approve'

/** Why the action means nothing now; null: it may be given. */
export function whyNot(rollout: Rollout, command: Action): string | null {
  const { state, progress } = rollout
  if (isTerminal(state)) return `It has ended as ${state}.`
  if (isWaiting(state)) return whyNotBefore(state, command)
  if (command === 'freeze') return null
  if (progress.goesBack !== null) return 'It goes back already; only freeze ends that.'
  switch (command) {
    case 'pause':
      return progress.hold?.kind === 'manual' ? 'It is paused already.' : null
    case 'resume':
      if (state !== 'paused') return 'It is not paused.'
      if (rollout.isStorageFull) return STORAGE_IS_FULL
      if (isForTheWindow(rollout)) return 'It goes on by itself when a change window opens.'
      return isMovedByResume(rollout) ? null : RESUME_IS_NOTHING
    case 'skip-gate':
      return progress.phase === 'soaking' || progress.phase === 'files'
        ? null
        : 'No gate is being waited for.'
    case 'revert':
      return null
    default:
      return 'It has begun; freeze ends it, revert takes it back.'
  }
}

/** Else it stays as it is, for the same reason: whoever resumes it would wait for nothing. */
function isMovedByResume(rollout: Rollout): boolean {
  if (rollout.progress.hold !== null) return true
  const reduction = newReduction(rollout, 'resume')
  resume(reduction)
  settle(reduction)
  const { state, tasks } = reduction.rollout
  return state !== 'paused' || tasks.some((task, i) => task !== rollout.tasks[i])
}

const isForTheWindow = ({ progress: { phase, hold }, tasks }: Rollout) =>
  phase === 'waiting' && hold === null && !tasks.some(hasFailed)

type Steering = Extract<Command, { kind: 'freeze' | 'pause' | 'resume' | 'skip-gate' | 'revert' }>

export function obey(reduction: Reduction, command: Steering): void {
  const { actor: by } = command
  switch (command.kind) {
    case 'freeze':
      freeze(reduction, { cause: 'froze', by, rolloutId: command.rolloutId ?? null })
      break
    case 'pause':
      hold(reduction, 'manual', { cause: 'paused', by, why: command.why })
      break
    case 'resume':
      resume(reduction)
      break
    case 'skip-gate':
      setProgress(reduction, { hold: null })
      if (reduction.rollout.progress.phase === 'files') goOnWithoutFiles(reduction)
      else finishWave(reduction)
      break
    case 'revert':
      startBack(reduction, { cause: 'took_back', by, why: command.why })
  }
}

/** Whoever resumes has seen what is wrong, and goes on without it. */
function resume(reduction: Reduction): void {
  const { progress, policy, tasks } = reduction.rollout
  const kind = progress.hold?.kind
  setProgress(reduction, {
    hold: null,
    ...(kind === 'deadline' && { progressLeftMs: policy.progressDeadlineMs }),
    ...(isHeldByGate(progress) && { soakedMs: 0, verdict: null }),
  })
  const isRestart = kind === 'control_plane_restart'
  if (kind !== undefined && !isRestart) return
  // As long as nobody has it, there is nothing to go on with.
  const isAnyProven = tasks.some(isProven)
  const away = new Set([
    ...awayOf(reduction.rollout),
    ...(isRestart ? unheardOf(reduction.rollout) : []),
  ])
  const isWithout = (task: Task) =>
    hasFailed(task) ||
    isLeftOut(task) ||
    isLate(task) ||
    away.has(task) ||
    (isAnyProven && task.state === 'unreachable')
  excuse(
    reduction,
    tasks.filter((task) => !task.isExcused && isWithout(task)),
  )
}
