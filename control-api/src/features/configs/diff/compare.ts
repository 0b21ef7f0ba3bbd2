// SPDX-License-Identifier: MIT
// Two texts held against each other: by line, and by what they say.
import { diffTexts, type TextHunk } from '../../../base/text-diff.ts'
import type { SchemaNode } from '../text/schema-walk.ts'
import { parseConfigText } from '../text/text.ts'
import { type Change, diffValues } from './diff.ts'

export type Comparison = {
  hunks: TextHunk[]
  /** null: one of the two is not JSON, as a draft may be. */
  changes: Change[] | null
  moreChanges: number
}
/** `from` null: there was nothing yet. */
export type Sides = { from: string | null; to: string; contextLines: number }

export function compareTexts({ from, to, contextLines }: Sides, schema: SchemaNode): Comparison {
  const [a, b] = [parseConfigText(from ?? '{}'), parseConfigText(to)]
  return {
    hunks: diffTexts(from ?? '', to, contextLines),
    ...(a.ok && b.ok ? diffValues(a.value, b.value, schema) : { changes: null, moreChanges: 0 }),
  }
}
