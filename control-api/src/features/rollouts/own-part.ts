// SPDX-License-Identifier: MIT
// A rollout as somebody may see it who has some of its nodes. Sentences and measurements that were made of all
// nodes name and count the others, so of those nothing is taken along. Pure.
import type { HoldKind } from './model.ts'
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

/** What holds it up, without the sentence: that is of all its nodes. */
const HOLDS: Readonly<Record<HoldKind, string>> = {
  manual: 'Somebody paused it.',
  gate_failed: 'A gate failed.',
  gate_no_data: 'A gate has no evidence.',
  gate_inconclusive: 'A gate cannot tell.',
  deadline: 'It took too long.',
  control_plane_restart: 'The control plane was away.',
  storage_full: 'The disk of the control plane was full.',
}

const ID = /rollout_[0-9a-hjkmnp-tv-z]{26}/g
export const rolloutsIn = (text: string): string[] => text.match(ID) ?? []

/** Another that has no node of theirs is only another. */
export const naming = (text: string, visible: ReadonlySet<string>): string =>
  text.replaceAll(ID, (id) => (visible.has(id) ? id : 'another rollout'))

export function withoutOthers(rollout: Rollout, hold: HoldKind | null): Rollout {
  const done = rollout.tasks.filter(({ state }) => state === 'done').length
  const yours = `Of your ${rollout.tasks.length} in it, ${done} ${done === 1 ? 'has' : 'have'} the version.`
  return {
    ...rollout,
    reason: `${STATES[rollout.state]}: ${yours} ${hold ? `${HOLDS[hold]} ` : ''}${ELSEWHERE}`,
    evidence: null,
    tasks: rollout.tasks.map((task) =>
      task.state === 'skipped' && task.code !== null && task.code !== 'cordoned'
        ? { ...task, message: 'a node of the same kind refused the same text' }
        : task,
    ),
  }
}
