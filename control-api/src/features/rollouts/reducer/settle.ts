// SPDX-License-Identifier: MIT
// What follows for the rollout from what became of its tasks. Pure.
import { goOnBack } from './endings.ts'
import { goOn, offerToStragglers } from './forward.ts'
import { isTerminal } from './model.ts'
import { type Reduction, setProgress, settleTasks } from './reduction.ts'

/** What the tasks make of the rollout. */
export function settle(reduction: Reduction): void {
  rearm(reduction)
  while (!isOver(reduction) && goOn(reduction));
  const { state, progress } = reduction.rollout
  const { goesBack } = progress
  if (isTerminal(state)) settleTasks(reduction)
  else if (goesBack !== null) goOnBack(reduction, goesBack)
  if (state === 'succeeded') offerToStragglers(reduction)
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
