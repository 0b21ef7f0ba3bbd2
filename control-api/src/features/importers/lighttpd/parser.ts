// SPDX-License-Identifier: MIT
// lighttpd's language into a tree, and what its variables and "+=" come to. Includes are from the given source of files only, and
// no shell is ever asked. Pure.
import { foldersAbove, isPattern, within } from '../paths.ts'
import {
  DEEPEST_BLOCKS,
  DEEPEST_INCLUDES,
  type Directive,
  MOST_DIRECTIVES,
  type Place,
  type Source,
  Unreadable,
} from '../tree.ts'
import { Lexer, type Token } from './lexer.ts'
import { type Entry, isList, listOf, sum, UNKNOWN, type Value } from './values.ts'

export type Condition = { field: string; operator: string; text: string }
export type Setting = {
  value: Value
  /** All that made it so: the one with "=" and those with "+=". */
  directives: readonly Directive[]
}
export type Block = {
  /** Those that open it: equal conditions are one block. None: the text around all blocks. */
  directives: Directive[]
  /** null: none of its own, which are the first block, `global` and a last `else`. */
  condition: Condition | null
  /** What did not hold before its `else`. */
  unless: readonly Condition[]
  parent: Block | null
  settings: Map<string, Setting>
  /** Blocks in it by their condition. */
  inner: Map<string, Block>
}
export type LighttpdTree = {
  directives: Directive[]
  /** In their order; the first is the text around all others. */
  blocks: Block[]
  /** Includes of files that were not given. */
  missing: Directive[]
}
type Reading = LighttpdTree & { source: Source; folders: readonly string[]; count: number }

export function parseLighttpd(mainFiles: readonly string[], source: Source): LighttpdTree {
  const global = newBlock(null, null, [])
  const reading: Reading = {
    ...{ directives: [], blocks: [global], missing: [] },
    ...{ source, folders: [], count: 0 },
  }
  for (const file of mainFiles) {
    const text = source.read(file)
    if (text === null) throw new Unreadable({ file, line: 1, column: 1 }, 'the file was not given')
    reading.folders = foldersAbove(file)
    new FileReader(reading, file, text, [file]).read(global, reading.directives, 0)
  }
  const { directives, blocks, missing } = reading
  return { directives, blocks, missing }
}

const newBlock = (
  parent: Block | null,
  condition: Condition | null,
  unless: readonly Condition[],
): Block => ({
  ...{ directives: [], condition, unless, parent },
  ...{ settings: new Map(), inner: new Map() },
})

/** A name without a dot is a variable. */
const fullName = (name: string) => (name.includes('.') ? name : `var.${name}`)
const LONGEST_CHAIN = 256
const ELSE = new Set(['else', 'elif', 'elseif', 'elsif'])
const OPERATORS = new Set(['==', '!=', '=~', '!~', '=^', '=$'])

class FileReader {
  readonly #reading: Reading
  readonly #lexer: Lexer
  readonly #file: string
  readonly #stack: readonly string[]
  #token: Token

  constructor(reading: Reading, file: string, text: string, stack: readonly string[]) {
    this.#reading = reading
    this.#file = file
    this.#stack = stack
    this.#lexer = new Lexer(text, file)
    this.#token = this.#lexer.next()
  }

  /** Up to the "}" of the block, which stays, or to the end of the file. */
  read(block: Block, list: Directive[], depth: number): void {
    let chain: Condition[] = []
    for (;;) {
      this.#skipLines()
      const token = this.#token
      if (token.kind === 'end') {
        if (depth > 0) return
        break
      }
      if (this.#isSign('}')) {
        if (depth === 0) throw new Unreadable(token, '"}" closes nothing')
        return
      }
      if (
        this.#isSign('$') ||
        (token.kind === 'name' && (ELSE.has(token.text) || token.text === 'if'))
      ) {
        chain = this.#conditional(block, list, { chain, depth })
        continue
      }
      chain = []
      if (token.kind !== 'name')
        throw new Unreadable(token, `"${token.text.slice(0, 40)}" begins no line`)
      if (token.text === 'include' || token.text === 'include_shell') this.#include(block, list)
      else if (token.text === 'global') this.#global(list, depth)
      else this.#assignment(block, list)
    }
  }

  #global(list: Directive[], depth: number): void {
    const directive = this.#directive(list, { ...this.#take(), name: 'global' })
    const [first] = this.#reading.blocks
    if (first) this.#body(first, directive, depth)
  }

  #conditional(
    block: Block,
    list: Directive[],
    { chain, depth }: { chain: Condition[]; depth: number },
  ): Condition[] {
    const start = this.#token
    const isElse = start.kind === 'name' && start.text !== 'if'
    if (isElse) {
      if (chain.length === 0) throw new Unreadable(start, `"${start.text}" follows no condition`)
      this.#take()
      this.#skipLines()
    }
    // lighttpd 1.4.74 takes an "if" before a condition.
    if (this.#token.kind === 'name' && this.#token.text === 'if') this.#take()
    const unless = isElse ? chain : []
    if (unless.length > LONGEST_CHAIN)
      throw new Unreadable(start, `more than ${LONGEST_CHAIN} conditions follow each other by else`)
    if (isElse && this.#isSign('{')) {
      const directive = this.#directive(list, { ...start, name: 'else' })
      this.#body(this.#blockFor(block, null, unless), directive, depth)
      return []
    }
    this.#expect('$')
    const kind = this.#expectKind('name', 'a word such as HTTP')
    this.#expect('[')
    const field = this.#expectKind('string', 'a name in quotes').text
    this.#expect(']')
    const operator = this.#take()
    if (!OPERATORS.has(operator.text))
      throw new Unreadable(operator, 'a condition compares by ==, !=, =~, !~, =^ or =$')
    const from = this.#token
    const value = this.#expression(block, 0)
    if (isList(value)) throw new Unreadable(from, 'a condition compares with a text')
    const condition = {
      field: `${kind.text}.${field}`.toLowerCase(),
      operator: operator.text,
      text: String(value),
    }
    const name = `${isElse ? 'else ' : ''}$${kind.text}["${field}"]`
    const directive = this.#directive(list, { ...start, name }, [operator.text, this.#since(from)])
    this.#skipLines()
    this.#body(this.#blockFor(block, condition, unless), directive, depth)
    return [...unless, condition]
  }

  #blockFor(parent: Block, condition: Condition | null, unless: readonly Condition[]): Block {
    const { blocks } = this.#reading
    const { field = '', operator = '', text = '' } = condition ?? {}
    const key = unless.length > 0 ? '' : `${field}${operator}${text}`
    const had = parent.inner.get(key)
    if (had && key !== '') return had
    const block = newBlock(parent, condition, unless)
    parent.inner.set(key, block)
    blocks.push(block)
    return block
  }

  #body(block: Block, directive: Directive, depth: number): void {
    const opening = this.#expect('{')
    if (depth + 1 > DEEPEST_BLOCKS)
      throw new Unreadable(opening, `blocks are nested more than ${DEEPEST_BLOCKS} deep`)
    const inner: Directive[] = []
    directive.block = inner
    if (!block.directives.includes(directive)) block.directives.push(directive)
    this.read(block, inner, depth + 1)
    if (!this.#isSign('}')) throw new Unreadable(directive, 'the block that begins here has no "}"')
    this.#take()
  }

  #assignment(block: Block, list: Directive[]): void {
    const start = this.#take()
    const operator = this.#take()
    if (!['=', '+=', ':='].includes(operator.text))
      throw new Unreadable(operator, `"=", "+=" or ":=" is missing behind "${start.text}"`)
    const from = this.#token
    const added = this.#expression(block, 0)
    const directive = this.#directive(list, { ...start, name: start.text }, [
      operator.text,
      this.#since(from),
    ])
    const name = fullName(start.text)
    const had = operator.text === '+=' ? settingOf(block, name) : null
    const value = had ? sum(had.value, added, from) : added
    block.settings.set(name, { value, directives: [...(had?.directives ?? []), directive] })
  }

  #include(block: Block, list: Directive[]): void {
    const start = this.#take()
    const from = this.#token
    const value = this.#expression(block, 0)
    const directive = this.#directive(list, { ...start, name: start.text }, [this.#since(from)])
    if (start.text === 'include_shell') return
    if (this.#stack.length > DEEPEST_INCLUDES)
      throw new Unreadable(start, `files include each other more than ${DEEPEST_INCLUDES} deep`)
    const { source, folders, missing } = this.#reading
    const pattern = String(value)
    const found = filesOf(pattern, source, folders)
    // A pattern may mean no file at all; a name may not.
    if (found.length === 0 && !isPattern(pattern)) missing.push(directive)
    for (const file of found) {
      if (this.#stack.includes(file)) throw new Unreadable(directive, `"${file}" includes itself`)
      const text = source.read(file)
      if (text === null) continue
      const reader = new FileReader(this.#reading, file, text, [...this.#stack, file])
      reader.read(block, list, 0)
    }
  }

  #expression(block: Block, depth: number): Value {
    let value = this.#value(block, depth)
    while (this.#isSign('+')) {
      const place = this.#take()
      value = sum(value, this.#value(block, depth), place)
    }
    return value
  }

  #value(block: Block, depth: number): Value {
    const token = this.#take()
    if (token.kind === 'string') return token.text
    if (token.kind === 'number') return Number(token.text.slice(0, 15))
    if (token.kind === 'name') return settingOf(block, fullName(token.text))?.value ?? UNKNOWN
    if (token.kind === 'sign' && token.text === '(') return this.#list(block, token, depth)
    throw new Unreadable(token, 'a value is missing here')
  }

  #list(block: Block, opening: Token, depth: number): Value {
    if (depth + 1 > DEEPEST_BLOCKS)
      throw new Unreadable(opening, `lists are nested more than ${DEEPEST_BLOCKS} deep`)
    const entries: Entry[] = []
    for (;;) {
      this.#skipLines()
      if (this.#isSign(')')) break
      const first = this.#expression(block, depth + 1)
      this.#skipLines()
      if (this.#isSign('=>')) {
        this.#take()
        this.#skipLines()
        entries.push({ key: textOf(first, opening), value: this.#expression(block, depth + 1) })
      } else entries.push({ key: null, value: first })
      this.#skipLines()
      if (this.#isSign(',')) this.#take()
      else if (!this.#isSign(')'))
        throw new Unreadable(this.#token, 'the list has neither "," nor ")" here')
    }
    this.#take()
    // Of equal keys the later one counts.
    const byKey = new Map(entries.map((one, i) => [one.key ?? i, one]))
    return listOf([...byKey.values()], opening)
  }

  #directive(list: Directive[], start: Place & { name: string }, words: string[] = []): Directive {
    const { line, column, name } = start
    const { reading, place } = { reading: this.#reading, place: { file: this.#file, line, column } }
    reading.count++
    if (reading.count > MOST_DIRECTIVES)
      throw new Unreadable(
        place,
        `more than ${MOST_DIRECTIVES} directives, with those of included files`,
      )
    const directive: Directive = {
      ...{ ...place, name, block: null },
      words: words.map((text) => ({ text, isQuoted: false })),
    }
    list.push(directive)
    return directive
  }

  #lastEnd = 0

  #take(): Token {
    const token = this.#token
    this.#lastEnd = token.to
    if (token.kind !== 'end') this.#token = this.#lexer.next()
    return token
  }

  #since = ({ from }: Token) => this.#lexer.source(from, this.#lastEnd)

  #skipLines(): void {
    while (this.#token.kind === 'line') this.#token = this.#lexer.next()
  }

  #isSign = (text: string) => this.#token.kind === 'sign' && this.#token.text === text

  #expect(text: string): Token {
    if (!this.#isSign(text)) throw new Unreadable(this.#token, `"${text}" is missing here`)
    return this.#take()
  }

  #expectKind(kind: Token['kind'], what: string): Token {
    if (this.#token.kind !== kind) throw new Unreadable(this.#token, `${what} is missing here`)
    return this.#take()
  }
}

function textOf(value: Value, place: Place): string {
  if (isList(value)) throw new Unreadable(place, 'a key of this list is a list')
  return String(value)
}

/** What holds in a block: its own, or that of the blocks around it. */
export function settingOf(block: Block, name: string): Setting | null {
  for (let at: Block | null = block; at; at = at.parent) {
    const own = at.settings.get(name)
    if (own) return own
  }
  return null
}

function filesOf(pattern: string, { read, find }: Source, folders: readonly string[]): string[] {
  for (const folder of pattern.startsWith('/') ? [''] : folders) {
    const path = within(folder, pattern)
    const files = isPattern(path) ? find(path) : read(path) === null ? [] : [path]
    if (files.length > 0) return files
  }
  return []
}
