// SPDX-License-Identifier: MIT
// The words of nginx's language, cut as nginx 1.22 cuts them: a word ends at white space, ";" or "{" (not that of "${");
// quotes count at a word's beginning alone. Pure.
import { Cursor } from '../cursor.ts'
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
  readonly #cursor: Cursor

  constructor(text: string, file: string) {
    // A byte order mark is passed over by nginx as well.
    this.#cursor = new Cursor(text.startsWith('\ufeff') ? text.slice(1) : text, file)
  }

  /** null: the text ends. */
  next(): Token | null {
    this.#skip()
    const { place, character: first } = this.#cursor
    if (first === undefined) return null
    if (first === ';' || first === '{' || first === '}') {
      this.#cursor.goTo()
      return { ...place, kind: first }
    }
    const isQuoted = first === '"' || first === "'"
    const text = isQuoted ? this.#quoted(first, place) : this.#bare(place)
    return { ...place, kind: 'word', word: { text, isQuoted } }
  }

  /** What is between braces in Lua; the opening one has been read. Those in its texts and comments close nothing. */
  skipLuaBlock(from: Place): void {
    for (let depth = 1; depth > 0; ) {
      const { at, text } = this.#cursor
      if (at >= text.length) throw new Unreadable(from, 'the block that begins here has no end')
      LUA.lastIndex = at
      const sign = LUA.exec(text)?.[0] ?? ''
      if (sign === '{') depth++
      if (sign === '}') depth--
      const level = LONG_BRACKET.exec(sign)?.[1]
      this.#cursor.goTo(level === undefined ? at + sign.length : this.#longEnd(`]${level}]`, from))
    }
  }

  /** Behind the sign that ends a long text of Lua. */
  #longEnd(sign: string, from: Place): number {
    const at = this.#cursor.text.indexOf(sign, this.#cursor.at)
    if (at < 0) throw new Unreadable(from, `the block that begins here lacks a "${sign}"`)
    return at + sign.length
  }

  #skip(): void {
    const cursor = this.#cursor
    for (;;) {
      const { at, character, text } = cursor
      if (character === '#') {
        const end = text.indexOf('\n', at)
        cursor.goTo(end < 0 ? text.length : end)
      } else if (character !== undefined && SPACE.test(character)) cursor.goTo()
      else return
    }
  }

  #quoted(quote: string, from: Place): string {
    let text = ''
    for (this.#cursor.goTo(); ; ) {
      const character = this.#character(from, 'the quote that begins here has no end')
      if (character === quote) break
      text += this.#taken(character)
      this.#bound(text, from)
    }
    this.#cursor.goTo()
    const { character: after, place } = this.#cursor
    if (after !== undefined && !/[\s;{)]/.test(after)) {
      throw new Unreadable(place, `"${shown(after)}" stands right after a closing quote`)
    }
    return text
  }

  #bare(from: Place): string {
    let text = ''
    for (;;) {
      const { character } = this.#cursor
      if (character === undefined || SPACE.test(character) || character === ';') return text
      if (character === '{' && !text.endsWith('$')) return text
      this.#character(from, '')
      text += this.#taken(character)
      this.#bound(text, from)
    }
  }

  #character(from: Place, atEnd: string): string {
    const { character, place } = this.#cursor
    if (character === undefined) throw new Unreadable(from, atEnd)
    if (character === '\0') throw new Unreadable(place, 'a NUL stands here: this is no text')
    return character
  }

  /** A backslash keeps the character behind it from its meaning, and stays unless nginx takes it away. */
  #taken(character: string): string {
    this.#cursor.goTo()
    if (character !== '\\') return character
    const { character: escaped } = this.#cursor
    if (escaped === undefined) return character
    this.#cursor.goTo()
    return ESCAPED[escaped] ?? character + escaped
  }

  #bound(text: string, from: Place): void {
    if (text.length <= LONGEST_WORD) return
    throw new Unreadable(from, `the word that begins here has more than ${LONGEST_WORD} characters`)
  }
}

const shown = (character: string) =>
  character < ' ' ? `\\x${character.charCodeAt(0).toString(16)}` : character
