// SPDX-License-Identifier: MIT
// The time a question is about.
import { defineError } from '../api-shapes/errors.ts'
import type { Range } from './rings.ts'

const DEFAULT_SPAN_SECONDS = 15 * 60

export const EmptyRange = defineError(
  400,
  'empty_range',
  'The time range is empty',
  () => '"from" must be before "to"; without "to" the range ends now.',
)

/** Of its end and the last quarter of an hour what is left out. */
export function rangeOf({ from, to }: { from?: string; to?: string }, nowMs: number): Range {
  const toSeconds = to === undefined ? nowMs / 1000 : Date.parse(to) / 1000
  const fromSeconds =
    from === undefined ? toSeconds - DEFAULT_SPAN_SECONDS : Date.parse(from) / 1000
  if (fromSeconds >= toSeconds) throw new EmptyRange()
  return { fromSeconds, toSeconds }
}
