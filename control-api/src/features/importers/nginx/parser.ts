// SPDX-License-Identifier: MIT
// nginx's language into a tree, with what it includes: from the given source of files only. Pure. (No kept parser of npm
// says file, line and column of a directive, so this one is written by hand.)
import { foldersAbove, isPattern, within } from '../paths.ts'
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
import { Lexer } from './lexer.ts'

export type NginxTree = {
  directives: Directive[]
  /** Includes of files that were not given. */
  missing: Directive[]
}
type Reading = {
  source: Source
  folders: readonly string[]
  /** Of directives, and of characters in which they stand. */
  count: number
  read: number
  missing: Directive[]
}

export function parseNginx(mainFiles: readonly string[], source: Source): NginxTree {
  const reading: Reading = { source, folders: [], count: 0, read: 0, missing: [] }
  const directives: Directive[] = []
  for (const file of mainFiles) {
    const text = source.read(file)
    const start = { file, line: 1, column: 1 }
    if (text === null) throw new Unreadable(start, 'the file was not given')
    reading.folders = foldersAbove(file)
    directives.push(...readFile(reading, { file, text, stack: [file] }))
  }
  return { directives, missing: reading.missing }
}

/** nginx says of the rest of such an expression that it does not know a directive of this name. */
function begun({ text, isQuoted }: Word, place: Place): Directive {
  if (!isQuoted && /^\d+(,\d*)?\}/.test(text)) {
    throw new Unreadable(place, 'an expression with braces in it has to stand in quotes')
  }
  return { ...place, name: text, words: [], block: null }
}

type Open = { file: string; text: string; stack: readonly string[] }

function readFile(reading: Reading, { file, text, stack }: Open): Directive[] {
  reading.read += text.length
  if (reading.read > MOST_READ) {
    const why = `more than ${MOST_READ} characters, with those of files that are included again`
    throw new Unreadable({ file, line: 1, column: 1 }, why)
  }
  const lexer = new Lexer(text, file)
  const top: Directive[] = []
  const open: Directive[] = []
  let directive: Directive | null = null
  for (let token = lexer.next(); token !== null; token = lexer.next()) {
    const { kind, line, column } = token
    const place = { file, line, column }
    if (kind === 'word') {
      if (directive) (directive.words as Directive['words'][number][]).push(token.word)
      else directive = begun(token.word, place)
    } else if (kind === '}') {
      if (directive) throw new Unreadable(directive, unended(directive))
      if (!open.pop()) throw new Unreadable(place, '"}" closes nothing')
    } else {
      if (!directive) throw new Unreadable(place, `"${kind}" follows nothing`)
      reading.count++
      if (reading.count > MOST_DIRECTIVES) {
        throw new Unreadable(
          place,
          `more than ${MOST_DIRECTIVES} directives, with those of included files`,
        )
      }
      const list = open.at(-1)?.block ?? top
      list.push(directive)
      if (kind === '{') {
        directive.block = []
        if (directive.name.endsWith('_by_lua_block')) lexer.skipLuaBlock(place)
        else open.push(directive)
        if (open.length > DEEPEST_BLOCKS) {
          throw new Unreadable(place, `blocks are nested more than ${DEEPEST_BLOCKS} deep`)
        }
      } else if (directive.name === 'include') include(reading, directive, { list, stack })
      directive = null
    }
  }
  if (directive) throw new Unreadable(directive, unended(directive))
  const unclosed = open.at(-1)
  if (unclosed) throw new Unreadable(unclosed, `the block of "${short(unclosed.name)}" has no "}"`)
  return top
}

function include(
  reading: Reading,
  directive: Directive,
  { list, stack }: { list: Directive[]; stack: readonly string[] },
): void {
  const [pattern = ''] = argsOf(directive)
  const { source, folders, missing } = reading
  if (stack.length > DEEPEST_INCLUDES) {
    throw new Unreadable(directive, `files include each other more than ${DEEPEST_INCLUDES} deep`)
  }
  const found = filesOf(pattern, source, folders)
  // A pattern may mean no file at all; a name may not.
  if (found.length === 0 && !isPattern(pattern)) missing.push(directive)
  for (const file of found) {
    if (stack.includes(file)) throw new Unreadable(directive, `"${file}" includes itself`)
    const text = source.read(file)
    if (text !== null) list.push(...readFile(reading, { file, text, stack: [...stack, file] }))
  }
}

function filesOf(pattern: string, { read, find }: Source, folders: readonly string[]): string[] {
  for (const folder of pattern.startsWith('/') ? [''] : folders) {
    const path = within(folder, pattern)
    const files = isPattern(path) ? find(path) : read(path) === null ? [] : [path]
    if (files.length > 0) return files
  }
  return []
}

const unended = ({ name }: Directive) => `"${short(name)}" has no ";" at its end`

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
