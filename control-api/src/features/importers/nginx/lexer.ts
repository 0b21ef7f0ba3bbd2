// SPDX-License-Identifier: MIT
// The words of nginx's language, cut as nginx 1.22 cuts them: a word ends at white space, ";" or "{" (not that of "${");
// quotes count at a word's beginning alone. Pure.
import { type Place, Unreadable, type Word } from '../tree.ts'

export type Token = Place & ({ kind: 'word'; word: Word } | { kind: ';' | '{' | '}' })

/** nginx's own bound: it reads through a buffer of this size. */
const LONGEST_WORD = 4096
const SPACE = /[ \t\r\n]/
const ESCAPED: Record<string, string> = {
  t: '\t',
  r: '\r',
  n: '\n',
  '"': '"',
  "'": "'",
  '\\': '\\',
}

/** A long text or comment that begins, a comment, a text, a brace, or what is none of them. */
const LUA = /(?:--)?\[=*\[|--[^\n]*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[{}]|[^{}[\-"']+|./sy
const LONG_BRACKET = /^(?:--)?\[(=*)\[$/

export class Lexer {
  #at = 0
  #line = 1
  #lineStart = 0
  readonly #text: string
  readonly #file: string

  constructor(text: string, file: string) {
    // A byte order mark is passed over by nginx as well.
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text
    this.#file = file
  }

  get place(): Place {
    return { file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 }
  }

  /** null: the text ends. */
  next(): Token | null {
    this.#skip()
    const place = this.place
    const first = this.#text[this.#at]
    if (first === undefined) return null
    if (first === ';' || first === '{' || first === '}') {
      this.#step()
      return { ...place, kind: first }
    }
    const isQuoted = first === '"' || first === "'"
    const text = isQuoted ? this.#quoted(first, place) : this.#bare(place)
    return { ...place, kind: 'word', word: { text, isQuoted } }
  }

  /** What is between braces in Lua; the opening one has been read. Those in its texts and comments close nothing. */
  skipLuaBlock(from: Place): void {
    for (let depth = 1; depth > 0; ) {
      if (this.#at >= this.#text.length)
        throw new Unreadable(from, 'the block that begins here has no end')
      LUA.lastIndex = this.#at
      const sign = LUA.exec(this.#text)?.[0] ?? ''
      if (sign === '{') depth++
      if (sign === '}') depth--
      const level = LONG_BRACKET.exec(sign)?.[1]
      const end = level === undefined ? this.#at + sign.length : this.#longEnd(`]${level}]`, from)
      while (this.#at < end) this.#step()
    }
  }

  /** Behind the sign that ends a long text of Lua. */
  #longEnd(sign: string, from: Place): number {
    const at = this.#text.indexOf(sign, this.#at)
    if (at < 0) throw new Unreadable(from, `the block that begins here lacks a "${sign}"`)
    return at + sign.length
  }

  #step(): void {
    if (this.#text[this.#at++] === '\n') {
      this.#line++
      this.#lineStart = this.#at
    }
  }

  #skip(): void {
    for (
      let character = this.#text[this.#at];
      character !== undefined;
      character = this.#text[this.#at]
    ) {
      if (character === '#') {
        const end = this.#text.indexOf('\n', this.#at)
        this.#at = end < 0 ? this.#text.length : end
      } else if (SPACE.test(character)) this.#step()
      else return
    }
  }

  #quoted(quote: string, from: Place): string {
    let text = ''
    for (this.#step(); ; ) {
      const character = this.#character(from, 'the quote that begins here has no end')
      if (character === quote) break
      text += this.#taken(character)
      this.#bound(text, from)
    }
    this.#step()
    const after = this.#text[this.#at]
    if (after !== undefined && !/[\s;{)]/.test(after)) {
      throw new Unreadable(this.place, `"${shown(after)}" stands right after a closing quote`)
    }
    return text
  }

  #bare(from: Place): string {
    let text = ''
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || SPACE.test(character) || character === ';') return text
      if (character === '{' && !text.endsWith('$')) return text
      this.#character(from, '')
      text += this.#taken(character)
      this.#bound(text, from)
    }
  }

  #character(from: Place, atEnd: string): string {
    const character = this.#text[this.#at]
    if (character === undefined) throw new Unreadable(from, atEnd)
    if (character === '\0') throw new Unreadable(this.place, 'a NUL stands here: this is no text')
    return character
  }

  /** A backslash keeps the character behind it from its meaning, and stays unless nginx takes it away. */
  #taken(character: string): string {
    this.#step()
    if (character !== '\\') return character
    const escaped = this.#text[this.#at]
    if (escaped === undefined) return character
    this.#step()
    return ESCAPED[escaped] ?? character + escaped
  }

  #bound(text: string, from: Place): void {
    if (text.length <= LONGEST_WORD) return
    throw new Unreadable(from, `the word that begins here has more than ${LONGEST_WORD} characters`)
  }
}

const shown = (character: string) =>
  character < ' ' ? `\\x${character.charCodeAt(0).toString(16)}` : character
