// SPDX-License-Identifier: MIT
// The words of a Caddyfile, line by line, as Caddy cuts them: quotes and backticks count at a word's beginning alone, a
// backslash joins lines, "<<MARK" begins a text of several lines. Pure.
import { Cursor } from '../cursor.ts'
import { type Place, Unreadable, type Word } from '../tree.ts'

export type Token = Place & Word & { isHeredoc: boolean }

export const LONGEST_WORD = 65_536
/** Of Unicode's private use: stands for what only the old server's environment knows. */
export const UNKNOWN_VALUE = '\ue000'

/** What the environment would put there: the default, if one is named. */
const withDefaults = (text: string): string =>
  text.replaceAll(/\{\$([^{}\n]{0,256})\}/g, (_, inner: string) => {
    const colon = inner.indexOf(':')
    return colon < 0 ? UNKNOWN_VALUE : inner.slice(colon + 1)
  })

/** The words of each line that has any. */
export function linesOf(text: string, file: string): Token[][] {
  const lexer = new Lexer(withDefaults(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')), file)
  const lines: Token[][] = []
  for (let line = lexer.line(); line !== null; line = lexer.line())
    if (line.length > 0) lines.push(line)
  return lines
}

class Lexer {
  readonly #cursor: Cursor

  constructor(text: string, file: string) {
    this.#cursor = new Cursor(text, file)
  }

  /** null: the text ends. */
  line(): Token[] | null {
    const cursor = this.#cursor
    if (cursor.character === undefined) return null
    const tokens: Token[] = []
    for (;;) {
      const { at, character, text } = cursor
      if (character === undefined) return tokens
      if (character === '\n') {
        cursor.goTo()
        return tokens
      }
      if (character === '#') this.#toEnd(text.indexOf('\n', at))
      else if (character === '\\' && text[at + 1] === '\n') cursor.goTo(at + 2)
      else if (/\s/.test(character)) cursor.goTo()
      else tokens.push(this.#token())
    }
  }

  #toEnd(end: number): void {
    this.#cursor.goTo(end < 0 ? this.#cursor.text.length : end)
  }

  #token(): Token {
    const { place, character: first } = this.#cursor
    const isQuoted = first === '"' || first === '`'
    const heredoc = isQuoted ? null : this.#heredoc(place)
    const text = heredoc ?? (isQuoted ? this.#quoted(first, place) : this.#bare())
    if (text.length > LONGEST_WORD) {
      const why = `the word that begins here has more than ${LONGEST_WORD} characters`
      throw new Unreadable(place, why)
    }
    return { ...place, text, isQuoted: isQuoted || heredoc !== null, isHeredoc: heredoc !== null }
  }

  #quoted(quote: string, from: Place): string {
    const cursor = this.#cursor
    const parts: string[] = []
    cursor.goTo()
    let start = cursor.at
    for (;;) {
      const { at, character, text } = cursor
      if (character === undefined)
        throw new Unreadable(from, 'the quote that begins here has no end')
      if (character === quote) break
      const isEscape = character === '\\' && quote === '"'
      // Of all that may follow only the quote loses its backslash.
      if (isEscape && text[at + 1] === '"') {
        parts.push(text.slice(start, at))
        start = at + 1
      }
      cursor.goTo(at + (isEscape ? 2 : 1))
    }
    parts.push(cursor.text.slice(start, cursor.at))
    cursor.goTo()
    return parts.join('')
  }

  #bare(): string {
    const cursor = this.#cursor
    const start = cursor.at
    for (;;) {
      const { at, character, text } = cursor
      if (character === undefined || /\s/.test(character)) break
      if (character === '\\' && text[at + 1] === '\n') break
      cursor.goTo()
    }
    return cursor.text.slice(start, cursor.at)
  }

  /** Ends in the line that begins with its mark; the blanks before the mark are taken off every line. null: it is none. */
  #heredoc(from: Place): string | null {
    const cursor = this.#cursor
    const { text } = cursor
    const rest = text.slice(cursor.at, cursor.at + 200)
    const mark = /^<<([A-Za-z0-9_-]+)\n/.exec(rest)?.[1]
    if (mark === undefined) return null
    const lines: string[] = []
    cursor.goTo(cursor.at + mark.length + 2)
    for (;;) {
      cursor.goTo()
      const { at } = cursor
      if (at >= text.length)
        throw new Unreadable(from, `the text that begins here has no line "${mark}"`)
      const found = text.indexOf('\n', at)
      const end = found < 0 ? text.length : found
      const line = text.slice(at, end)
      const own = line.trimStart()
      const blanks = line.length - own.length
      if (own.startsWith(mark) && !/^\S/.test(own.slice(mark.length))) {
        cursor.goTo(at + blanks + mark.length)
        return lines.map((one) => one.slice(Math.min(blanks, one.length))).join('\n')
      }
      lines.push(line)
      cursor.goTo(end)
    }
  }
}
