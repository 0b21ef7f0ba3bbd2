// SPDX-License-Identifier: MIT
// What of the rollouts somebody waits for: their own that end or stand still, and those that need their approval. Pure.

import { rolloutVerdict } from '../../features/rollouts/rules.ts'
import { inSentence, t } from '../../languages/t.ts'
import type { RolloutState, RolloutSummary } from '../../lib/api-types.ts'

export type Standing = Pick<
  RolloutSummary,
  'id' | 'config' | 'version' | 'state' | 'author' | 'reason'
>
export type Reader = { username: string; mayApprove: boolean }
export type News = { id: string; tag: string; title: string; body: string }

/** Nothing goes on without somebody, or nothing goes on any more. */
const TOLD_TO_AUTHOR: ReadonlySet<RolloutState> = new Set([
  'paused',
  'succeeded',
  'frozen',
  'reverted',
  'revert_incomplete',
  'rejected',
  'expired',
  'superseded',
])

/** Those that stand otherwise than they stood; of what was never seen before nothing but a wish for approval is news. */
export function newsOf(
  before: ReadonlyMap<string, RolloutState>,
  now: readonly Standing[],
  reader: Reader,
): News[] {
  return now
    .filter(({ id, state }) => before.get(id) !== state)
    .filter((one) => isWaitedFor(one, before.has(one.id), reader))
    .map(({ id, config, version, state, reason }) => ({
      id,
      tag: `${id} ${state}`,
      title: t('Rollout of {config} v{version}: {label}', {
        config,
        version,
        label: inSentence(rolloutVerdict[state].label),
      }),
      body: reason,
    }))
}

function isWaitedFor(
  { state, author }: Standing,
  wasSeen: boolean,
  { username, mayApprove }: Reader,
): boolean {
  // Nobody approves their own.
  if (state === 'awaiting_approval') return mayApprove && author !== username
  return wasSeen && author === username && TOLD_TO_AUTHOR.has(state)
}
