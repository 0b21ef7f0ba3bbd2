// SPDX-License-Identifier: MIT
// Apache's language into a tree, with what it includes and the .htaccess files of its folders: from the given source of files
// only. Variables and the conditions on modules, versions and names are decided here, since they say which files are read.
// Pure.
import { folderOf, foldersAbove, isPattern, normal, within } from '../paths.ts'
import {
  argsOf,
  DEEPEST_BLOCKS,
  DEEPEST_INCLUDES,
  type Directive,
  everyDirective,
  MOST_DIRECTIVES,
  MOST_READ,
  type Source,
  Unreadable,
} from '../tree.ts'
import { type Line, LONGEST_LINE, linesOf, wordsOf } from './lexer.ts'
import { hasModule, moduleKey } from './modules.ts'

export type Htaccess = { folder: string; directives: Directive[] }
export type ApacheTree = {
  /** All there are, those of .htaccess files too. */
  directives: Directive[]
  /** Those of the config itself. */
  server: Directive[]
  htaccess: Htaccess[]
  /** Sections whose condition does not hold. */
  off: ReadonlySet<Directive>
  /** Includes of files that were not given. */
  missing: Directive[]
}
type Reading = {
  source: Source
  folders: readonly string[]
  variables: Map<string, string>
  loaded: Set<string>
  off: Set<Directive>
  missing: Directive[]
  count: number
  read: number
}
type Reader = { stack: readonly string[]; isLive: boolean }

/** Of Debian's envvars, a shell's file that is never read. */
const ENVIRONMENT = {
  APACHE_LOG_DIR: '/var/log/apache2',
  APACHE_RUN_DIR: '/var/run/apache2',
  APACHE_LOCK_DIR: '/var/lock/apache2',
  APACHE_PID_FILE: '/var/run/apache2/apache2.pid',
  APACHE_RUN_USER: 'www-data',
  APACHE_RUN_GROUP: 'www-data',
}
/** What is decided by, of 2.4. */
const VERSION = [2, 4, 66]
const MOST_HTACCESS_FOLDERS = 1024
const ACCESS_FILE_NAME = /^[\w.-]{1,64}$/
const MOST_ACCESS_FILE_NAMES = 8

/** Apache does not mind where these are not closed, if what is in them holds. */
const ENDS_WITH_FILE = new Set(['ifmodule', 'ifdefine', 'ifversion'])

export const keyOf = ({ name }: Directive): string => name.toLowerCase()

export function parseApache(mainFiles: readonly string[], source: Source): ApacheTree {
  const reading: Reading = {
    ...{ source, folders: [], variables: new Map(Object.entries(ENVIRONMENT)) },
    ...{ loaded: new Set<string>(), off: new Set<Directive>(), missing: [], count: 0, read: 0 },
  }
  const server: Directive[] = []
  const htaccess: Htaccess[] = []
  for (const file of mainFiles) {
    const text = source.read(file)
    if (text === null) throw new Unreadable({ file, line: 1, column: 1 }, 'the file was not given')
    reading.folders = foldersAbove(file)
    const directives = readText(reading, file, text, { stack: [file], isLive: true })
    if (isHtaccess(file)) htaccess.push({ folder: folderOf(file), directives })
    else server.push(...directives)
  }
  for (const { folder, path } of htaccessFiles(server, htaccess, source)) {
    const text = source.read(path)
    const reader = { stack: [path], isLive: true }
    if (text !== null) htaccess.push({ folder, directives: readText(reading, path, text, reader) })
  }
  const directives = [...server, ...htaccess.flatMap((one) => one.directives)]
  return { directives, server, htaccess, off: reading.off, missing: reading.missing }
}

export const isHtaccess = (file: string): boolean => /(^|\/)\.?htaccess[\w.-]*$/i.test(file)

/** Of the folders that the config serves from. */
function htaccessFiles(
  server: readonly Directive[],
  had: readonly Htaccess[],
  { below }: Source,
): { folder: string; path: string }[] {
  const folders = new Set(had.map(({ folder }) => folder))
  let names = ['.htaccess']
  let isRead = had.length > 0
  for (const directive of everyDirective(server)) {
    const args = argsOf(directive)
    const [first = '', second = ''] = args
    // Unless one says otherwise no folder is looked into.
    isRead ||= /^allowoverride/.test(keyOf(directive)) && !/^none$/i.test(first)
    if (keyOf(directive) === 'accessfilename') {
      names = args.filter((name) => ACCESS_FILE_NAME.test(name)).slice(0, MOST_ACCESS_FILE_NAMES)
    }
    const folder = { documentroot: first, alias: second }[keyOf(directive)]
    if (folder?.startsWith('/') && folder !== '/') folders.add(normal(folder))
  }
  const seen = new Set(had.map(({ folder }) => folder))
  if (!isRead) return []
  const [first] = server
  if (first && folders.size > MOST_HTACCESS_FOLDERS)
    throw new Unreadable(
      first,
      `.htaccess files would be looked for in more than ${MOST_HTACCESS_FOLDERS} roots and aliases: import fewer hosts at once`,
    )
  // In each folder the first name that is there counts.
  const found = [...folders].flatMap((folder) => names.flatMap((name) => below(folder, name)))
  return found.flatMap((path) => {
    const own = folderOf(path)
    if (seen.has(own)) return []
    seen.add(own)
    return [{ folder: own, path }]
  })
}

function readText(reading: Reading, file: string, text: string, reader: Reader): Directive[] {
  reading.read += text.length
  if (reading.read > MOST_READ) {
    const place = { file, line: 1, column: 1 }
    throw new Unreadable(place, `with this file more than ${MOST_READ} characters are included`)
  }
  return new FileReader(reading, linesOf(text, file), reader).read()
}

class FileReader {
  readonly #reading: Reading
  readonly #lines: Generator<Line>
  readonly #stack: readonly string[]
  readonly #isLive: boolean

  constructor(reading: Reading, lines: Generator<Line>, { stack, isLive }: Reader) {
    this.#reading = reading
    this.#lines = lines
    this.#stack = stack
    this.#isLive = isLive
  }

  read(): Directive[] {
    return this.#block(null, 0, this.#isLive)
  }

  #block(open: Directive | null, depth: number, isLive: boolean): Directive[] {
    if (depth > DEEPEST_BLOCKS && open)
      throw new Unreadable(
        open,
        `sections stand more than ${DEEPEST_BLOCKS} deep within each other`,
      )
    const list: Directive[] = []
    for (;;) {
      const next = this.#lines.next()
      if (next.done) {
        if (open && !(isLive && ENDS_WITH_FILE.has(keyOf(open))))
          throw new Unreadable(open, `"<${short(open.name)}" has no "</${short(open.name)}>"`)
        return list
      }
      const line = next.value
      const closing = /^<\/\s*(\w+)\s*>$/.exec(line.text)?.[1]
      if (closing !== undefined || line.text.startsWith('</')) {
        if (closing?.toLowerCase() !== open?.name.toLowerCase() || !open)
          throw new Unreadable(line, `"${short(line.text)}" closes nothing that is open here`)
        return list
      }
      list.push(...this.#directive(line, depth, isLive))
    }
  }

  #directive(line: Line, depth: number, isLive: boolean): Directive[] {
    const { file, line: row, column } = line
    const reading = this.#reading
    if (++reading.count > MOST_DIRECTIVES)
      throw new Unreadable(line, `there are more than ${MOST_DIRECTIVES} directives`)
    const text = this.#expanded(line)
    const section = /^<(\w+)(\s.*|)>$/s.exec(text)
    if (text.startsWith('<') && !section)
      throw new Unreadable(line, `"${short(text)}" is no section: ">" is missing at its end`)
    const plain = section ? null : /^(\S+)(.*)$/s.exec(text)
    const name = section?.[1] ?? plain?.[1] ?? ''
    const words = wordsOf(section?.[2] ?? plain?.[2] ?? '', name)
    const directive: Directive = { file, line: row, column, name, words, block: null }
    if (section) {
      const holds = conditionOf(directive, reading)
      if (!holds) reading.off.add(directive)
      directive.block = this.#block(directive, depth + 1, isLive && holds)
      return [directive]
    }
    return isLive ? [directive, ...this.#done(directive)] : [directive]
  }

  #expanded(line: Line): string {
    const { variables } = this.#reading
    if (!line.text.includes('$' + '{')) return line.text
    const text = line.text.replaceAll(
      /\$\{([^{}:]{1,128})\}/g,
      (whole, name) => variables.get(name) ?? whole,
    )
    this.#reading.read += text.length
    if (text.length > LONGEST_LINE || this.#reading.read > MOST_READ)
      throw new Unreadable(line, 'its variables come to more text than can be read')
    return text
  }

  /** What a directive does while it is read; what it includes. */
  #done(directive: Directive): Directive[] {
    const { variables, loaded } = this.#reading
    const [first = '', second = ''] = argsOf(directive)
    switch (keyOf(directive)) {
      case 'define':
        variables.set(first, second)
        return []
      case 'undefine':
        variables.delete(first)
        return []
      case 'loadmodule':
        loaded.add(moduleKey(first))
        return []
      case 'serverroot':
        if (first.startsWith('/')) this.#reading.folders = [first, ...this.#reading.folders]
        return []
      case 'include':
      case 'includeoptional':
        return this.#included(directive, first)
      default:
        return []
    }
  }

  #included(directive: Directive, pattern: string): Directive[] {
    const { source, folders, missing } = this.#reading
    if (this.#stack.length > DEEPEST_INCLUDES)
      throw new Unreadable(directive, `files include each other more than ${DEEPEST_INCLUDES} deep`)
    const found = filesOf(pattern, source, folders)
    if (found.length === 0 && keyOf(directive) === 'include') missing.push(directive)
    return found.flatMap((file) => {
      if (this.#stack.includes(file)) throw new Unreadable(directive, `"${file}" includes itself`)
      const text = source.read(file)
      const stack = [...this.#stack, file]
      return text === null ? [] : readText(this.#reading, file, text, { stack, isLive: true })
    })
  }
}

/** A folder stands for all files in it. */
function filesOf(pattern: string, { read, find }: Source, folders: readonly string[]): string[] {
  for (const folder of pattern.startsWith('/') ? [''] : folders) {
    const path = within(folder, pattern)
    const files = isPattern(path) ? find(path) : read(path) === null ? find(`${path}/*`) : [path]
    if (files.length > 0) return files
  }
  return []
}

function conditionOf(directive: Directive, { variables, loaded }: Reading): boolean {
  const [first = '', second = ''] = argsOf(directive)
  const isNot = first.startsWith('!')
  const name = isNot ? first.slice(1) : first
  switch (keyOf(directive)) {
    case 'ifmodule':
      return hasModule(name, loaded) !== isNot
    case 'ifdefine':
      return variables.has(name) !== isNot
    case 'ifversion':
      return second === '' ? holds('=', first) : holds(first, second)
    default:
      return true
  }
}

function holds(sign: string, text: string): boolean {
  const isNot = sign.startsWith('!')
  const regex = /^!?~$/.test(sign) ? text : /^\/(.*)\/$/.exec(text)?.[1]
  if (regex !== undefined) return isFound(regex) !== isNot
  const wanted = text.split('.').map(Number)
  const at = VERSION.findIndex((part, i) => wanted[i] !== undefined && part !== wanted[i])
  const order = at < 0 ? 0 : (VERSION[at] ?? 0) - (wanted[at] ?? 0)
  const is = { '=': order === 0, '==': order === 0, '>': order > 0, '>=': order >= 0 }
  const all: Record<string, boolean> = { ...is, '<': order < 0, '<=': order <= 0 }
  return (all[sign.replace(/^!/, '')] ?? true) !== isNot
}

/** A version is short, so no expression takes long. */
function isFound(regex: string): boolean {
  try {
    return new RegExp(regex).test(VERSION.join('.'))
  } catch {
    return false
  }
}

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
