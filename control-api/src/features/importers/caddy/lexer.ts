// SPDX-License-Identifier: MIT
// The words of a Caddyfile, line by line, as Caddy cuts them: quotes and backticks count at a word's beginning alone, a
// backslash joins lines, "<<MARK" begins a text of several lines. Pure.
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
  #at = 0
  #line = 1
  #lineStart = 0
  readonly #text: string
  readonly #file: string

  constructor(text: string, file: string) {
    this.#text = text
    this.#file = file
  }

  /** null: the text ends. */
  line(): Token[] | null {
    if (this.#at >= this.#text.length) return null
    const tokens: Token[] = []
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) return tokens
      if (character === '\n') {
        this.#newLine()
        return tokens
      }
      if (character === '#') this.#to(this.#text.indexOf('\n', this.#at))
      else if (character === '\\' && this.#text[this.#at + 1] === '\n') {
        this.#at++
        this.#newLine()
      } else if (/\s/.test(character)) this.#at++
      else tokens.push(this.#token())
    }
  }

  #to(end: number): void {
    this.#at = end < 0 ? this.#text.length : end
  }

  #newLine(): void {
    this.#at++
    this.#line++
    this.#lineStart = this.#at
  }

  #token(): Token {
    const place = {
      ...{ file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 },
    }
    const first = this.#text[this.#at]
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
    const parts: string[] = []
    let start = ++this.#at
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined)
        throw new Unreadable(from, 'the quote that begins here has no end')
      if (character === quote) break
      if (character === '\n') this.#newLine()
      else if (character === '\\' && quote === '"') {
        // Of all that may follow only the quote loses its backslash.
        if (this.#text[this.#at + 1] === '"') {
          parts.push(this.#text.slice(start, this.#at))
          start = this.#at + 1
        }
        this.#at += this.#text[this.#at + 1] === '\n' ? 1 : 2
      } else this.#at++
    }
    parts.push(this.#text.slice(start, this.#at))
    this.#at++
    return parts.join('')
  }

  #bare(): string {
    const start = this.#at
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || /\s/.test(character)) break
      if (character === '\\' && this.#text[this.#at + 1] === '\n') break
      this.#at++
    }
    return this.#text.slice(start, this.#at)
  }

  /** Ends in the line that begins with its mark; the blanks before the mark are taken off every line. null: it is none. */
  #heredoc(from: Place): string | null {
    const rest = this.#text.slice(this.#at, this.#at + 200)
    const mark = /^<<([A-Za-z0-9_-]+)\n/.exec(rest)?.[1]
    if (mark === undefined) return null
    const lines: string[] = []
    this.#at += mark.length + 2
    for (;;) {
      this.#newLine()
      if (this.#at >= this.#text.length)
        throw new Unreadable(from, `the text that begins here has no line "${mark}"`)
      const found = this.#text.indexOf('\n', this.#at)
      const end = found < 0 ? this.#text.length : found
      const line = this.#text.slice(this.#at, end)
      const own = line.trimStart()
      const blanks = line.length - own.length
      if (own.startsWith(mark) && !/^\S/.test(own.slice(mark.length))) {
        this.#at += blanks + mark.length
        return lines.map((one) => one.slice(Math.min(blanks, one.length))).join('\n')
      }
      lines.push(line)
      this.#at = end
    }
  }
}
