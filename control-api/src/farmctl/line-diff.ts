// SPDX-License-Identifier: MIT
import { diffTexts } from '../base/text-diff.ts'

const CONTEXT_LINES = 3

/** Two texts as `diff -u` and Git show them, without the files' names; no lines when they are the same. */
export const unifiedDiff = (from: string, to: string): string[] =>
  diffTexts(from, to, CONTEXT_LINES).flatMap(({ fromLine, fromLines, toLine, toLines, lines }) => [
    `@@ -${fromLine},${fromLines} +${toLine},${toLines} @@`,
    ...lines,
  ])
