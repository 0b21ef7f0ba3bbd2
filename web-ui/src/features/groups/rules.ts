// SPDX-License-Identifier: MIT
import type { Impact } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'

/** "3 nodes change group, 12 get another text with the next rollout" */
export function impactSentence({ moves, changes, invalid }: Impact): string {
  const parts = [
    moves.total > 0 && `${plural(moves.total, 'node')} change${moves.total === 1 ? 's' : ''} group`,
    changes.total > 0 &&
      `${plural(changes.total, 'node')} get${changes.total === 1 ? 's' : ''} another text with the next rollout`,
    invalid.total > 0 && `${plural(invalid.total, 'node')} would refuse it`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'no node changes' : parts.join(', ')
}

/** One step up or down in the order; null: there is no further. */
export function moved(names: readonly string[], name: string, by: -1 | 1): string[] | null {
  const from = names.indexOf(name)
  const to = from + by
  if (from < 0 || to < 0 || to >= names.length) return null
  return names.toSpliced(from, 1).toSpliced(to, 0, name)
}
