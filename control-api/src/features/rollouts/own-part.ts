// SPDX-License-Identifier: MIT
// A rollout as somebody may see it who has some of its nodes. The reason is told without names and numbers of the
// other nodes; measurements were made of all nodes, so of those nothing is taken along. Pure.
import type { RolloutState } from '../../api-shapes/states.ts'
import type { HoldKind, Reason } from './shapes/reason.ts'
import type { RolloutSummary } from './shapes/schema.ts'
import type { Audience } from './words/audience.ts'
import { tellReason } from './words/reasons.ts'
import { HOLDS } from './words/why-words.ts'

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
const ELSEWHERE = 'It has nodes outside your scope as well'

/** settled: how many of the nodes that are seen have the version for good. */
export type Because = { reason: Reason; hold: HoldKind | null; settled: number }

export function withoutOthers<Shown extends RolloutSummary>(
  rollout: Shown,
  { reason, hold, settled }: Because,
  audience: Audience,
): Shown {
  const have = settled === 1 ? 'has' : 'have'
  const yours = `Of your ${rollout.totalNodes} in it, ${settled} ${have} the version.`
  const told = tellReason(reason, audience)
  // A sentence of before: of all its nodes.
  const said = told || (hold ? HOLDS[hold] : '')
  const elsewhere = told ? `${ELSEWHERE}.` : `${ELSEWHERE}; who sees all of them sees why.`
  return {
    ...rollout,
    reason: [`${STATES[rollout.state]}: ${yours}`, said, elsewhere].filter(Boolean).join(' '),
    evidence: null,
    filesFirst: null,
  }
}
