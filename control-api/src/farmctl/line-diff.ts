// SPDX-License-Identifier: MIT
// Two texts as unified hunks, as diff -u and Git show them.
import { diffLists } from '../base/line-diff.ts'

const CONTEXT_LINES = 3

type Edit = { from: number; fromLines: string[]; to: number; toLines: string[] }

/** Lines with "+", "-", " " or "@@" in front; none when the texts are the same. */
export function unifiedDiff(from: string, to: string): string[] {
  const [before, after] = [linesOf(from), linesOf(to)]
  const edits = diffLists(before, after).map(
    ({ fromStart, fromEnd, toStart, toEnd }): Edit => ({
      from: fromStart,
      fromLines: before.slice(fromStart, fromEnd),
      to: toStart,
      toLines: after.slice(toStart, toEnd),
    }),
  )
  return inHunks(edits).flatMap((hunk) => hunkLines(before, hunk))
}

/** A missing last newline is a difference, and shown as one. */
function linesOf(text: string): string[] {
  if (text === '') return []
  return text.endsWith('\n')
    ? text.slice(0, -1).split('\n')
    : [...text.split('\n').slice(0, -1), lastOf(text)]
}
const lastOf = (text: string) =>
  `${text.slice(text.lastIndexOf('\n') + 1)}\n\\ No newline at end of file`

/** Changes whose surroundings touch are shown together. */
function inHunks(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = []
  for (const edit of edits) {
    const last = hunks.at(-1)?.at(-1)
    const isNear = last && edit.from - (last.from + last.fromLines.length) <= 2 * CONTEXT_LINES
    if (isNear) hunks.at(-1)?.push(edit)
    else hunks.push([edit])
  }
  return hunks
}

function hunkLines(before: readonly string[], hunk: readonly Edit[]): string[] {
  const [first, last] = [hunk[0], hunk.at(-1)]
  if (!first || !last) return []
  const start = Math.max(0, first.from - CONTEXT_LINES)
  const end = Math.min(before.length, last.from + last.fromLines.length + CONTEXT_LINES)
  const lines: string[] = []
  // One by one: as arguments of one call, very many lines are too many.
  const add = (sign: string, some: readonly string[]) => {
    for (const line of some) lines.push(sign + line)
  }
  let at = start
  for (const { from, fromLines, toLines } of hunk) {
    add(' ', before.slice(at, from))
    add('-', fromLines)
    add('+', toLines)
    at = from + fromLines.length
  }
  add(' ', before.slice(at, end))
  const toStart = first.to - (first.from - start)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const common = count(' ')
  const span = (from: number, length: number) => `${length === 0 ? from : from + 1},${length}`
  const head = `@@ -${span(start, common + count('-'))} +${span(toStart, common + count('+'))} @@`
  return [head, ...lines]
}
