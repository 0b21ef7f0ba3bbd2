// SPDX-License-Identifier: MIT
// What changed between two texts, line by line, as `diff -u` shows it.
import { diffLists, type Hunk } from './line-diff.ts'

/** Lines from 1; of a side without lines, the line after which they would be, as in `diff -u`. */
export type TextHunk = {
  fromLine: number
  fromLines: number
  toLine: number
  toLines: number
  /** Each begins with a space, - or +. */
  lines: string[]
}

const NO_NEWLINE = '\\ No newline at end of file'

/** With their ends, so that texts put together from them are the author's bytes. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

export function diffTexts(from: string, to: string, contextLines: number): TextHunk[] {
  const [a, b] = [linesOf(from), linesOf(to)]
  const groups: Hunk[][] = []
  for (const hunk of diffLists(a, b)) {
    const last = groups.at(-1)
    const gap = hunk.fromStart - (last?.at(-1)?.fromEnd ?? 0)
    if (last && gap <= 2 * contextLines) last.push(hunk)
    else groups.push([hunk])
  }
  return groups.map((group) => textHunk(group, a, b, contextLines))
}

function textHunk(group: readonly Hunk[], a: string[], b: string[], context: number): TextHunk {
  const [first, last] = [group[0], group.at(-1)]
  if (!first || !last) throw new Error('a group has a hunk')
  const start = Math.max(0, first.fromStart - context)
  const end = Math.min(a.length, last.fromEnd + context)
  const lines: string[] = []
  let at = start
  for (const hunk of group) {
    append(lines, marked(' ', a.slice(at, hunk.fromStart)))
    append(lines, marked('-', a.slice(hunk.fromStart, hunk.fromEnd)))
    append(lines, marked('+', b.slice(hunk.toStart, hunk.toEnd)))
    at = hunk.fromEnd
  }
  append(lines, marked(' ', a.slice(at, end)))
  const toStart = first.toStart - (first.fromStart - start)
  const toLines = last.toEnd + (end - last.fromEnd) - toStart
  return {
    fromLine: end === start ? start : start + 1,
    fromLines: end - start,
    toLine: toLines === 0 ? toStart : toStart + 1,
    toLines,
    lines,
  }
}

/** Only a text's last line can lack its end; that it does is a line of its own. */
const marked = (mark: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, NO_NEWLINE],
  )

/** Not by spreading: a text may have more lines than a call may have arguments. */
export function append(out: string[], lines: readonly string[]): void {
  for (const line of lines) out.push(line)
}
