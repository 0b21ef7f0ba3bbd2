// SPDX-License-Identifier: MIT
// The signs of lighttpd's language, as lighttpd 1.4 reads them: of a string's backslashes only the one before a quote goes.
// Pure.
import { type Place, Unreadable } from '../tree.ts'

export type Token = Place & {
  kind: 'string' | 'number' | 'name' | 'sign' | 'line' | 'end'
  text: string
  /** Where it begins and ends in its file. */
  from: number
  to: number
}

const LONGEST_STRING = 4096
const SIGNS = /(?:==|=~|=>|=\^|=\$|!=|!~|\+=|:=|[=+,(){}[\]$])/y
const NAME = /[A-Za-z_][\w.-]*/y
const NUMBER = /\d+/y
const BLANK = /(?:[ \t\r]|#[^\n]*)+/y

export class Lexer {
  #at = 0
  #line = 1
  #lineStart = 0
  readonly #text: string
  readonly #file: string

  constructor(text: string, file: string) {
    this.#text = text
    this.#file = file
  }

  /** The text as it stands there, or its beginning. */
  source(from: number, to: number): string {
    return this.#text.slice(from, Math.min(to, from + 400))
  }

  next(): Token {
    this.#match(BLANK)
    const place = { file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 }
    const from = this.#at
    const token = (kind: Token['kind'], text: string): Token => {
      return { ...place, kind, text, from, to: this.#at }
    }
    const first = this.#text[this.#at]
    if (first === undefined) return token('end', '')
    if (first === '\n') {
      this.#at++
      this.#line++
      this.#lineStart = this.#at
      return token('line', '')
    }
    if (first === '"') return token('string', this.#string(place))
    for (const [kind, regex] of [
      ['number', NUMBER],
      ['name', NAME],
      ['sign', SIGNS],
    ] as const) {
      const text = this.#match(regex)
      if (text !== '') return token(kind, text)
    }
    const code = first.codePointAt(0) ?? 0
    const shown = code > 32 && code < 127 ? first : `\\x${code.toString(16)}`
    throw new Unreadable(place, `"${shown}" begins nothing in this language`)
  }

  #match(regex: RegExp): string {
    regex.lastIndex = this.#at
    const text = regex.exec(this.#text)?.[0] ?? ''
    this.#at += text.length
    return text
  }

  #string(place: Place): string {
    const parts: string[] = []
    for (let start = ++this.#at; ; this.#at++) {
      const character = this.#text[this.#at]
      if (character === undefined)
        throw new Unreadable(place, 'the quote that begins here has no end')
      if (character === '\0') throw new Unreadable(place, 'a NUL is in this text')
      if (character === '\n') {
        this.#line++
        this.#lineStart = this.#at + 1
      }
      if (character === '\\' && this.#text[this.#at + 1] === '"') {
        parts.push(this.#text.slice(start, this.#at))
        start = ++this.#at
      } else if (character === '"') {
        const text = parts.join('') + this.#text.slice(start, this.#at++)
        boundText(text, place)
        return text
      }
    }
  }
}

export function boundText(text: string, place: Place): void {
  if (text.length <= LONGEST_STRING) return
  throw new Unreadable(place, `the text here has more than ${LONGEST_STRING} characters`)
}
