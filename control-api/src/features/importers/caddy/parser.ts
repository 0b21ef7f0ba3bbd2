// SPDX-License-Identifier: MIT
// A Caddyfile into a tree, with what it imports: snippets and files of the given source only. Pure. (No kept parser of npm says
// file, line and column of a directive, or knows snippets, so this one is written by hand.)
import { folderOf, isPattern, within } from '../paths.ts'
import {
  argsOf,
  DEEPEST_BLOCKS,
  DEEPEST_INCLUDES,
  type Directive,
  MOST_DIRECTIVES,
  MOST_READ,
  type Place,
  type Source,
  Unreadable,
  type Word,
} from '../tree.ts'
import { LONGEST_WORD, linesOf, type Token, UNKNOWN_VALUE } from './lexer.ts'

export type CaddyTree = {
  directives: Directive[]
  /** Imports of files that were not given. */
  missing: Directive[]
}
type Snippets = ReadonlyMap<string, Directive>
type Reading = {
  source: Source
  snippets: Map<string, Directive>
  missing: Directive[]
  /** Of directives, and of characters in which they stand, as often as they are imported. */
  count: number
  read: number
}

export function parseCaddy(mainFiles: readonly string[], source: Source): CaddyTree {
  const reading: Reading = { source, snippets: new Map(), missing: [], count: 0, read: 0 }
  const directives = mainFiles.flatMap((file) => {
    const text = source.read(file)
    if (text === null) throw new Unreadable({ file, line: 1, column: 1 }, 'the file was not given')
    return withoutBraces(expanded(reading, treeOf(reading, file, text), [file]))
  })
  return { directives, missing: reading.missing }
}

/** A lone address without braces has all that follows. */
function withoutBraces(directives: readonly Directive[]): Directive[] {
  const at = directives.findIndex(
    ({ name, block }) => block === null && name !== 'import' && !name.startsWith('('),
  )
  const site = directives[at]
  if (!site) return [...directives]
  return [...directives.slice(0, at), { ...site, block: directives.slice(at + 1) }]
}

type Open = { directive: Directive | null; list: Directive[] }

function treeOf(reading: Reading, file: string, text: string): Directive[] {
  bound(reading, { file, line: 1, column: 1 }, text.length)
  const top: Directive[] = []
  const open: Open[] = [{ directive: null, list: top }]
  for (const line of joined(linesOf(text, file), open)) {
    const at = open.at(-1) as Open
    const tokens = [...line]
    const [first] = tokens
    if (!first) continue
    if (isSign(first, '}')) {
      if (open.length === 1) throw new Unreadable(first, '"}" closes nothing')
      if (tokens.length > 1) throw new Unreadable(first, 'something stands behind "}" in its line')
      open.pop()
      continue
    }
    const stray = tokens.find((one, i) => isSign(one, '{') && i < tokens.length - 1)
    if (stray) throw new Unreadable(stray, 'what follows "{" has to stand in a line of its own')
    const isClosed = tokens.length > 1 && isSign(tokens.at(-1), '}')
    if (isClosed) tokens.pop()
    const isOpening = isSign(tokens.at(-1), '{')
    if (isOpening) tokens.pop()
    const directive = tokens.length > 0 ? directiveOf(tokens) : lonely(first, at, open.length)
    if (!at.list.includes(directive)) add(reading, at.list, directive)
    if (isOpening) {
      directive.block = []
      open.push({ directive, list: directive.block })
      if (open.length > DEEPEST_BLOCKS + 1)
        throw new Unreadable(first, `blocks are nested more than ${DEEPEST_BLOCKS} deep`)
    } else if (isClosed) {
      if (open.length === 1) throw new Unreadable(first, '"}" closes nothing')
      open.pop()
    }
  }
  const unclosed = open.at(-1)?.directive
  if (unclosed) throw new Unreadable(unclosed, `the block that begins here has no "}"`)
  return top
}

/** A list of addresses goes on in the next line behind a comma. */
function* joined(lines: readonly Token[][], open: readonly Open[]): Generator<Token[]> {
  let all: Token[] = []
  for (const line of lines) {
    for (const token of line) all.push(token)
    if (open.length === 1 && all.at(-1)?.text.endsWith(',')) continue
    yield all
    all = []
  }
  if (all.length > 0) yield all
}

const isSign = (token: Token | undefined, sign: '{' | '}') =>
  token !== undefined && token.text === sign && !token.isQuoted

function directiveOf([first, ...words]: readonly Token[]): Directive {
  const { file, line, column, text } = first as Token
  const rest: Word[] = words.map(({ text: word, isQuoted }) => ({ text: word, isQuoted }))
  return { file, line, column, name: text, words: rest, block: null }
}

/** "{" alone: the options of all sites, or the block of the line before. */
function lonely(sign: Token, { list }: Open, depth: number): Directive {
  const last = list.at(-1)
  if (depth === 1 && last?.block === null && last.name !== 'import') return last
  if (depth > 1 || list.some(({ name }) => name === ''))
    throw new Unreadable(sign, '"{" follows nothing')
  return { file: sign.file, line: sign.line, column: sign.column, name: '', words: [], block: null }
}

function add(reading: Reading, list: Directive[], directive: Directive): void {
  reading.count++
  if (reading.count > MOST_DIRECTIVES)
    throw new Unreadable(directive, `more than ${MOST_DIRECTIVES} directives, with those imported`)
  list.push(directive)
}

function bound(reading: Reading, place: Place, characters: number): void {
  reading.read += characters
  if (reading.read > MOST_READ)
    throw new Unreadable(place, `more than ${MOST_READ} characters, with what is imported again`)
}

/** With what each `import` stands for behind it. */
function expanded(
  reading: Reading,
  directives: readonly Directive[],
  stack: readonly string[],
): Directive[] {
  return directives.flatMap((directive) => {
    const { name, block } = directive
    if (name.startsWith('(') && name.endsWith(')') && block) {
      reading.snippets.set(name.slice(1, -1), directive)
      return [directive]
    }
    if (name === 'import') return [directive, ...imported(reading, directive, stack)]
    if (block) directive.block = expanded(reading, block, stack)
    return [directive]
  })
}

function imported(reading: Reading, directive: Directive, stack: readonly string[]): Directive[] {
  const [what = '', ...args] = argsOf(directive)
  if (stack.length > DEEPEST_INCLUDES)
    throw new Unreadable(directive, `imports are nested more than ${DEEPEST_INCLUDES} deep`)
  const snippet = (reading.snippets as Snippets).get(what)
  const given = { args, block: directive.block ?? [] }
  if (snippet) {
    const key = `(${what})`
    if (stack.includes(key)) throw new Unreadable(directive, `"${what}" imports itself`)
    return expanded(reading, copies(reading, snippet.block ?? [], given), [...stack, key])
  }
  const { read, find } = reading.source
  const path = within(folderOf(directive.file), what)
  const files = isPattern(path) ? find(path) : read(path) === null ? [] : [path]
  if (files.length === 0 && !isPattern(what)) reading.missing.push(directive)
  return files.flatMap((file) => {
    if (stack.includes(file)) throw new Unreadable(directive, `"${file}" imports itself`)
    const tree = treeOf(reading, file, read(file) ?? '')
    const own = args.length > 0 ? copies(reading, tree, given) : tree
    return expanded(reading, own, [...stack, file])
  })
}

type Given = { args: readonly string[]; block: readonly Directive[] }

function copies(reading: Reading, directives: readonly Directive[], given: Given): Directive[] {
  const list: Directive[] = []
  for (const directive of directives) {
    if (directive.name === '{block}') {
      // What the import brings has no placeholders of the snippet.
      for (const one of copies(reading, given.block, { args: [], block: [] })) list.push(one)
      add(reading, list, { ...directive, name: 'import', words: [], block: null })
      continue
    }
    const words = [{ text: directive.name, isQuoted: false }, ...directive.words].flatMap((word) =>
      filled(word, given.args),
    )
    bound(
      reading,
      directive,
      words.reduce((sum, { text }) => sum + text.length, 1),
    )
    const [first, ...rest] = words
    const block = directive.block && copies(reading, directive.block, given)
    add(reading, list, { ...directive, name: first?.text ?? '', words: rest, block })
  }
  return list
}

const ONE = /\{args(?:\.(\d{1,3})|\[(\d{1,3})\])\}/g
const SEVERAL = /^\{args\[(\d{0,3}):(\d{0,3})\]\}$/

function filled(word: Word, args: readonly string[]): Word[] {
  if (!word.text.includes('{args')) return [word]
  const range = SEVERAL.exec(word.text)
  if (range) {
    const [from, to] = [Number(range[1] || 0), range[2] ? Number(range[2]) : args.length]
    return args.slice(from, to).map((text) => ({ text, isQuoted: true }))
  }
  const count = [...word.text.matchAll(ONE)].length
  const longest = Math.max(0, ...args.map(({ length }) => length))
  if (word.text.length + count * longest > LONGEST_WORD) return [{ ...word, text: UNKNOWN_VALUE }]
  const text = word.text.replaceAll(ONE, (whole, dotted, bracketed) => {
    return args[Number(dotted ?? bracketed)] ?? whole
  })
  return [{ ...word, text }]
}
