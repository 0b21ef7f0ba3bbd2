// SPDX-License-Identifier: MIT
// The signs of lighttpd's language, as lighttpd 1.4 reads them: of a string's backslashes only the one before a quote goes.
// Pure.
import { Cursor } from '../cursor.ts'
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
  readonly #cursor: Cursor

  constructor(text: string, file: string) {
    this.#cursor = new Cursor(text, file)
  }

  /** The text as it stands there, or its beginning. */
  source(from: number, to: number): string {
    return this.#cursor.text.slice(from, Math.min(to, from + 400))
  }

  next(): Token {
    this.#match(BLANK)
    const { at: from, place, character: first } = this.#cursor
    const token = (kind: Token['kind'], text: string): Token => {
      return { ...place, kind, text, from, to: this.#cursor.at }
    }
    if (first === undefined) return token('end', '')
    if (first === '\n') {
      this.#cursor.goTo()
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
    const { at, text } = this.#cursor
    regex.lastIndex = at
    const found = regex.exec(text)?.[0] ?? ''
    this.#cursor.goTo(at + found.length)
    return found
  }

  #string(place: Place): string {
    const cursor = this.#cursor
    const parts: string[] = []
    cursor.goTo()
    for (let start = cursor.at; ; ) {
      const { at, character, text } = cursor
      if (character === undefined)
        throw new Unreadable(place, 'the quote that begins here has no end')
      if (character === '\0') throw new Unreadable(place, 'a NUL is in this text')
      const isEscaped = character === '\\' && text[at + 1] === '"'
      cursor.goTo(at + (isEscaped ? 2 : 1))
      if (isEscaped) {
        parts.push(text.slice(start, at))
        start = at + 1
      } else if (character === '"') {
        const whole = parts.join('') + text.slice(start, at)
        boundText(whole, place)
        return whole
      }
    }
  }
}

export function boundText(text: string, place: Place): void {
  if (text.length <= LONGEST_STRING) return
  throw new Unreadable(place, `the text here has more than ${LONGEST_STRING} characters`)
}
