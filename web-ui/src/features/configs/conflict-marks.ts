// SPDX-License-Identifier: MIT
// The marks of a merge, as git writes them, around what two people changed: found, and taken out by a choice.

/** Lines without their ends. */
export type MarkedConflict = {
  /** Of its first mark, from 1. */
  line: number
  mine: readonly string[]
  theirs: readonly string[]
  /** What the marks say of each side. */
  labels: { mine: string; theirs: string }
}
export type Choice = 'mine' | 'theirs' | 'both'

type Found = MarkedConflict & { last: number }

export function conflictsIn(text: string): MarkedConflict[] {
  return found(linesOf(text).map(bare))
}

/** Lines, from 1, where they begin; also of those whose other marks somebody has deleted. */
export function conflictLines(text: string): number[] {
  if (!text.includes(MINE)) return []
  return text.split(/\r\n?|\n/).flatMap((line, i) => (line.startsWith(MINE) ? [i + 1] : []))
}

/** The text with what was chosen in place of the conflict that begins on that line. */
export function resolveConflict(text: string, line: number, choice: Choice): string {
  const lines = linesOf(text)
  const conflict = found(lines.map(bare)).find((one) => one.line === line)
  if (conflict === undefined) return text
  const middle = line + conflict.mine.length
  const [mine, theirs] = [lines.slice(line, middle), lines.slice(middle + 1, conflict.last - 1)]
  const kept = { mine, theirs, both: [...mine, ...theirs] }[choice]
  return [...lines.slice(0, line - 1), ...kept, ...lines.slice(conflict.last)].join('')
}

const MINE = '<<<<<<< '
const BETWEEN = '======='
const THEIRS = '>>>>>>> '

/** Each with its end. */
const linesOf = (text: string) => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
const bare = (line: string) => line.replace(/[\r\n]+$/, '')

function found(lines: readonly string[]): Found[] {
  const conflicts: Found[] = []
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]?.startsWith(MINE)) continue
    const middle = lines.indexOf(BETWEEN, at)
    const last = lines.findIndex((line, i) => i > middle && line.startsWith(THEIRS))
    const next = lines.findIndex((line, i) => i > at && line.startsWith(MINE))
    // With a mark gone nobody can tell where a side ends.
    if (middle < 0 || last < 0 || (next >= 0 && next < last)) continue
    conflicts.push({
      line: at + 1,
      last: last + 1,
      mine: lines.slice(at + 1, middle),
      theirs: lines.slice(middle + 1, last),
      labels: { mine: behind(lines[at], MINE), theirs: behind(lines[last], THEIRS) },
    })
    at = last
  }
  return conflicts
}

const behind = (line: string | undefined, mark: string) => line?.slice(mark.length) ?? ''
