// SPDX-License-Identifier: MIT
// The lines and words of Apache's language: a line is a directive, a backslash at its end joins the next one, and "<" begins
// a section. Pure.
import { type Place, Unreadable, type Word } from '../tree.ts'

export type Line = Place & { text: string }

/** Of one directive, with its variables and the lines that are joined to it. */
export const LONGEST_LINE = 65_536

/** Comments and empty lines are left out. */
export function* linesOf(text: string, file: string): Generator<Line> {
  const rows = (text.startsWith('\ufeff') ? text.slice(1) : text).split('\n')
  for (let i = 0; i < rows.length; i++) {
    const first = i
    const parts: string[] = []
    let row = withoutReturn(rows[i] ?? '')
    while (row.endsWith('\\') && !row.endsWith('\\\\') && i + 1 < rows.length) {
      parts.push(row.slice(0, -1))
      row = withoutReturn(rows[++i] ?? '')
    }
    const whole = [...parts, row].join('')
    const start = whole.trimStart()
    if (start === '' || start.startsWith('#')) continue
    const head = parts[0] ?? row
    const place = { file, line: first + 1, column: head.length - head.trimStart().length + 1 }
    if (start.includes('\0')) throw new Unreadable(place, 'a NUL stands here: this is no text')
    if (start.length > LONGEST_LINE)
      throw new Unreadable(place, `the line has more than ${LONGEST_LINE} characters`)
    yield { ...place, text: start.trimEnd() }
  }
}

const withoutReturn = (row: string) => (row.endsWith('\r') ? row.slice(0, -1) : row)

/** Apache leaves backslashes in the expressions of these as they are. */
const RAW = /^(rewritecond|rewriterule)$/i

/** The words behind a directive's name. A quote that does not end takes the rest of the line. */
export function wordsOf(text: string, name: string): Word[] {
  const isRaw = RAW.test(name)
  const words: Word[] = []
  for (let at = blanksAt(text, 0); at < text.length; at = blanksAt(text, at)) {
    const quote = text[at] === '"' || text[at] === "'" ? (text[at] ?? '') : ''
    let [word, i] = ['', quote ? at + 1 : at]
    for (; i < text.length; i++) {
      const character = text[i] ?? ''
      if (quote ? character === quote : /\s/.test(character)) break
      const next = text[i + 1] ?? ''
      if (character !== '\\' || next === '') word += character
      else if (isRaw) {
        word += character + next
        i++
      } else if (next === '\\' || (quote && next === quote)) {
        word += next
        i++
      } else word += character
    }
    words.push({ text: word, isQuoted: quote !== '' })
    at = quote ? i + 1 : i
  }
  return words
}

function blanksAt(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at++
  return at
}
