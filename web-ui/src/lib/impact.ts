// SPDX-License-Identifier: MIT
// What a change of groups, labels or overrides would do, as the control plane answers to dryRun=1.
import { ApiError } from './api-error.ts'
import type { Impact } from './api-types.ts'
import { plural } from './format.ts'

/** "3 nodes change group, 12 nodes get another text with the next rollout" */
export function impactSentence({ moves, changes, invalid, forgets }: Impact): string {
  const parts = [
    moves.total > 0 && `${plural(moves.total, 'node')} change${moves.total === 1 ? 's' : ''} group`,
    changes.total > 0 &&
      `${plural(changes.total, 'node')} get${changes.total === 1 ? 's' : ''} another text with the next rollout`,
    invalid.total > 0 && `${plural(invalid.total, 'node')} would refuse it`,
    forgets.total > 0 &&
      `${plural(forgets.total, 'node')} ${forgets.total === 1 ? 'is' : 'are'} decommissioned within a minute`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'no node changes' : parts.join(', ')
}

/** Of an answer that may be the changed thing itself, had the question not been understood. */
export function impactOf(answer: object | null): Impact {
  if (answer !== null && 'moves' in answer) return answer as Impact
  throw new ApiError(-1, { detail: 'The control plane did not say what this would do.' })
}
