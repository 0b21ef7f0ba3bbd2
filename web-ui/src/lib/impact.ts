// SPDX-License-Identifier: MIT
// What a change of groups, labels or overrides would do, as the control plane answers to dryRun=1.
import { t } from '../languages/t.ts'
import { ApiError } from './api-error.ts'
import type { Impact } from './api-types.ts'

/** "3 nodes change group, 12 nodes get another text with the next rollout" */
export function impactSentence({ moves, changes, invalid, forgets }: Impact): string {
  const parts = [
    moves.total > 0 &&
      t('{moves, plural, one {# node changes group} other {# nodes change group}}', {
        moves: moves.total,
      }),
    changes.total > 0 &&
      t(
        '{changes, plural, one {# node gets another text with the next rollout} other {# nodes get another text with the next rollout}}',
        { changes: changes.total },
      ),
    invalid.total > 0 &&
      t('{invalid, plural, one {# node} other {# nodes}} would refuse it', {
        invalid: invalid.total,
      }),
    forgets.total > 0 &&
      t(
        '{forgets, plural, one {# node is decommissioned within a minute} other {# nodes are decommissioned within a minute}}',
        { forgets: forgets.total },
      ),
  ].filter((part) => part !== false)
  return parts.length === 0 ? t('no node changes') : parts.join(', ')
}

/** Of an answer that may be the changed thing itself, had the question not been understood. */
export function impactOf(answer: object | null): Impact {
  if (answer !== null && 'moves' in answer) return answer as Impact
  throw new ApiError(-1, { detail: t('The control plane did not say what this would do.') })
}
