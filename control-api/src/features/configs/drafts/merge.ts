// SPDX-License-Identifier: MIT
// Two people began with one text. What both made of it, put together line by line: comments and layout
// are lines like others. Where both changed the same lines, both are shown and nobody wins.
import { diffLists, type Hunk } from '../../../base/line-diff.ts'
import { append, linesOf } from '../../../base/text-diff.ts'

/** Lines without their ends. */
export type Conflict = {
  /** Of its first mark in the merged text, from 1. */
  startLine: number
  mine: string[]
  base: string[]
  current: string[]
}
export type Merged = { text: string; conflicts: Conflict[] }
export type Labels = { mine: string; current: string }
export type Merge = { base: string; mine: string; current: string; labels: Labels }

type Side = { lines: readonly string[]; hunks: Hunk[] }
/** Base lines [start, end), changed by one side or by both. */
type Region = { start: number; end: number; mine: Hunk[]; current: Hunk[] }

export function mergeTexts(
  base: string,
  mine: string,
  current: string,
  labels: Labels = { mine: 'yours', current: 'theirs' },
): Merged {
  const baseLines = linesOf(base)
  const side = (text: string): Side => {
    const lines = linesOf(text)
    return { lines, hunks: diffLists(baseLines, lines) }
  }
  const [ours, theirs] = [side(mine), side(current)]
  const out: string[] = []
  const conflicts: Conflict[] = []
  let at = 0
  for (const region of regionsOf(ours.hunks, theirs.hunks)) {
    append(out, baseLines.slice(at, region.start))
    at = region.end
    const original = baseLines.slice(region.start, region.end)
    const a = linesIn(region, region.mine, ours.lines, original)
    const b = linesIn(region, region.current, theirs.lines, original)
    if (region.current.length === 0 || sameLines(a, b)) append(out, a)
    else if (region.mine.length === 0) append(out, b)
    else {
      conflicts.push({
        startLine: out.length + 1,
        ...bare({ mine: a, base: original, current: b }),
      })
      append(out, inMarks(a, b, labels))
    }
  }
  append(out, baseLines.slice(at))
  return { text: out.join(''), conflicts }
}

/** Changes that overlap or touch belong together. */
function regionsOf(mine: readonly Hunk[], current: readonly Hunk[]): Region[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, of: 'mine' as const })),
    ...current.map((hunk) => ({ hunk, of: 'current' as const })),
  ].sort((a, b) => a.hunk.fromStart - b.hunk.fromStart)
  const regions: Region[] = []
  for (const { hunk, of } of all) {
    let region = regions.at(-1)
    if (!region || hunk.fromStart > region.end) {
      region = { start: hunk.fromStart, end: hunk.fromEnd, mine: [], current: [] }
      regions.push(region)
    }
    region.end = Math.max(region.end, hunk.fromEnd)
    region[of].push(hunk)
  }
  return regions
}

/** What one side made of the region. */
function linesIn(
  { start, end }: Region,
  hunks: readonly Hunk[],
  lines: readonly string[],
  original: readonly string[],
): readonly string[] {
  const [first, last] = [hunks[0], hunks.at(-1)]
  if (!first || !last) return original
  return lines.slice(first.toStart - (first.fromStart - start), last.toEnd + (end - last.fromEnd))
}

/** As git writes them: no JSON, so a config with a conflict in it cannot be saved as a version. */
function inMarks(mine: readonly string[], current: readonly string[], labels: Labels): string[] {
  const end = [...mine, ...current].some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n'
  const whole = (lines: readonly string[]) =>
    lines.map((line) => (line.endsWith('\n') ? line : line + end))
  return [
    `<<<<<<< ${labels.mine}${end}`,
    ...whole(mine),
    `=======${end}`,
    ...whole(current),
    `>>>>>>> ${labels.current}${end}`,
  ]
}

const bare = <T extends Record<string, readonly string[]>>(sides: T) =>
  Object.fromEntries(
    Object.entries(sides).map(([name, lines]) => [
      name,
      lines.map((line) => line.replace(/\r?\n$/, '')),
    ]),
  ) as Record<keyof T, string[]>

const sameLines = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, i) => line === b[i])
