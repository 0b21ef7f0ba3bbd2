// SPDX-License-Identifier: MIT
// What follows for the rollout from what became of its tasks. Pure.
import { giveUpFrozen, goOnBack, turnBack } from './endings.ts'
import { excuseMore, isExcusing } from './excuses.ts'
import { goOn, offerToStragglers } from './forward.ts'
import { isTerminal, type Task } from './model.ts'
import { which } from './places.ts'
import {
  giveUpAll,
  mayOneMore,
  put,
  type Reduction,
  setProgress,
  settleTasks,
} from './reduction.ts'
import { passed } from './task-states.ts'
import { isHealthy } from './tasks.ts'
import { markMore } from './verdicts.ts'

/** What the tasks make of the rollout. */
export function settle(reduction: Reduction): void {
  rearm(reduction)
  goOnWithTheRest(reduction)
  // Whose nodes are still becoming its own decides nothing yet, nor who goes on without some.
  const isInParts = reduction.rollout.progress.begunTo !== undefined || isExcusing(reduction)
  while (!isInParts && !isOver(reduction) && goOn(reduction));
  const { state, progress } = reduction.rollout
  const { goesBack } = progress
  if (isTerminal(state)) settleTasks(reduction)
  else if (goesBack !== null) goOnBack(reduction, goesBack)
  if (state === 'succeeded') offerToStragglers(reduction)
}

/** What an event before decided for more nodes than it could change: with the cause that it had. */
function goOnWithTheRest(reduction: Reduction): void {
  const { cause } = reduction
  const { state, progress, tasks } = reduction.rollout
  const { unfinished, goesBack } = progress
  if (!unfinished) return
  reduction.cause = unfinished.cause
  if (state === 'frozen') giveUpFrozen(reduction)
  else if (isTerminal(state) && unfinished.givenUp !== null)
    giveUpAll(reduction, unfinished.givenUp)
  else if (goesBack !== null) turnBack(reduction)
  if (isTerminal(state)) settleTasks(reduction)
  else if (goesBack === null) {
    excuseMore(reduction)
    finishEarlierWaves(reduction, tasks)
    markMore(reduction)
  }
  reduction.cause = cause
}

function finishEarlierWaves(reduction: Reduction, tasks: readonly Task[]): void {
  const { wave } = reduction.rollout.progress
  for (const task of which(tasks, isHealthy)) {
    if (task.wave >= wave) continue
    if (!mayOneMore(reduction)) return
    put(reduction, task, { ...passed(task), state: 'done' })
  }
}

/** It goes on no further: only back, or not at all. */
const isOver = ({ rollout: { state, progress } }: Reduction) =>
  isTerminal(state) || progress.goesBack !== null

/** A task becomes healthy once, so a node that comes and goes is no progress. */
function rearm(reduction: Reduction): void {
  const { policy, progress } = reduction.rollout
  const isOneMore = reduction.transitions.some(
    ({ to, nodeId }) => to === 'healthy' && nodeId !== null,
  )
  if (isOneMore && progress.progressLeftMs !== null) {
    setProgress(reduction, { progressLeftMs: policy.progressDeadlineMs })
  }
}
