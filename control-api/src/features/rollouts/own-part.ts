// SPDX-License-Identifier: MIT
// A rollout as somebody may see it who has some of its nodes. Sentences and measurements that were made of all
// nodes name and count the others, so of those nothing is taken along. Pure.
import type { Rollout, RolloutState } from './schema.ts'

const STATES: Readonly<Record<RolloutState, string>> = {
  draft: 'Not given yet',
  validating: 'Being checked',
  planned: 'Planned',
  awaiting_approval: 'Waits for approval',
  scheduled: 'Waits for its time',
  queued: 'Waits for its turn',
  running: 'Under way',
  paused: 'Paused',
  aborting: 'Being ended',
  reverting: 'Going back',
  succeeded: 'Succeeded',
  frozen: 'Frozen',
  reverted: 'Went back',
  revert_incomplete: 'Went back in part',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  expired: 'Not approved in time',
  superseded: 'Replaced by another',
}
const ELSEWHERE = 'It has nodes outside your scope as well; who sees all of them sees why.'

export function withoutOthers(rollout: Rollout): Rollout {
  const done = rollout.tasks.filter(({ state }) => state === 'done').length
  const yours = `Of your ${rollout.tasks.length} in it, ${done} ${done === 1 ? 'has' : 'have'} the version.`
  return {
    ...rollout,
    reason: `${STATES[rollout.state]}: ${yours} ${ELSEWHERE}`,
    evidence: null,
    tasks: rollout.tasks.map((task) =>
      task.state === 'skipped' && task.code !== null && task.code !== 'cordoned'
        ? { ...task, message: 'a node of the same kind refused the same text' }
        : task,
    ),
  }
}
