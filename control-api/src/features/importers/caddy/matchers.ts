// SPDX-License-Identifier: MIT
// What a matcher asks for: paths, clients, hosts, files. What it asks besides is told, never guessed.
import { MOST_PATTERNS, patternsOf as ofRegex } from '../regex.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isAddress } from '../values.ts'
import { UNKNOWN_VALUE } from './lexer.ts'
import { patternsOf } from './patterns.ts'

export type Match = {
  /** null: all. */
  paths: string[] | null
  except: string[]
  regex: { name: string; text: string } | null
  clients: { addresses: string[]; isNot: boolean } | null
  hosts: { names: string[]; isNot: boolean } | null
  scheme: string | null
  /** Candidates of which one has to be there; `isMissing`: none may be. */
  files: { candidates: string[]; isMissing: boolean } | null
  isForMethods: boolean
  /** It asks for something that no rule of a node goes by. */
  isOdd: boolean
  /** What it lets through can't be told from what it does not: a refusal by it has to shut all. */
  isGate: boolean
  /** Those that say it. */
  directives: Directive[]
}
export type Named = ReadonlyMap<string, Directive>

export const ALL: Match = {
  ...{ paths: null, except: [], regex: null, clients: null, hosts: null, scheme: null },
  ...{ files: null, isForMethods: false, isOdd: false, isGate: false, directives: [] },
}

const NOBODY_KNOWS: Match = { ...ALL, isOdd: true, isGate: true }

/** The matcher of a directive, and its words without it. */
export function matchOf(directive: Directive, named: Named): { match: Match; args: string[] } {
  const args = argsOf(directive)
  const [first = ''] = args
  const isQuoted = directive.words[0]?.isQuoted === true
  if (first === '*') return { match: ALL, args: args.slice(1) }
  const isAlone = args.length === 1 && ALONE.has(directive.name)
  if (first.startsWith('/') && !isQuoted && !isAlone && !NO_PATH_FIRST.has(directive.name))
    return { match: ofPaths([first]), args: args.slice(1) }
  if (first.includes(UNKNOWN_VALUE)) return { match: NOBODY_KNOWS, args: args.slice(1) }
  if (!first.startsWith('@') || isQuoted) return { match: ALL, args }
  const definition = named.get(first)
  const match = definition ? known(definition) : NOBODY_KNOWS
  return { match, args: args.slice(1) }
}

/** A single word of theirs is what they are about. */
const ALONE = new Set(['root', 'rewrite', 'redir'])
/** Their first word is no matcher. */
const NO_PATH_FIRST = new Set(['log', 'tls', 'bind', 'import', 'handle_errors', 'vars'])

const ofPaths = (paths: readonly string[]): Match => {
  const patterns = paths.map(patternsOf)
  if (patterns.includes(null)) {
    // What certainly has them all.
    const wider = paths.map((path) => `${/^[^*?[{\\\ue000]*/.exec(path)?.[0] ?? ''}**`)
    const isBelow = wider.every((one) => one.startsWith('/'))
    return { ...NOBODY_KNOWS, paths: isBelow ? wider : null }
  }
  const all = [...new Set(patterns.flatMap((one) => one ?? []))]
  if (all.length > MOST_PATTERNS) return NOBODY_KNOWS
  return all.includes('/**') ? ALL : { ...ALL, paths: all }
}

/** Many directives may have one matcher. */
const DEFINED = new WeakMap<Directive, Match>()

function known(definition: Directive): Match {
  const match = DEFINED.get(definition) ?? ofDefinition(definition)
  DEFINED.set(definition, match)
  return match
}

function ofDefinition(definition: Directive): Match {
  const { block, words } = definition
  const inner = words.length > 0 ? [inOneLine(definition)] : (block ?? [])
  const directives = [definition, ...(words.length > 0 ? [] : inner)]
  // Lines of one kind are one list.
  const paths = inner.filter(({ name }) => name === 'path').flatMap(argsOf)
  let match: Match = paths.length > 0 ? ofPaths(paths) : ALL
  for (const one of inner) if (one.name !== 'path') match = narrowed(match, one, directives)
  return { ...match, directives }
}

/** "@a not path /b" as the line of a block. */
function inOneLine(definition: Directive): Directive {
  const [first, ...rest] = definition.words
  return { ...definition, name: first?.text ?? '', words: rest }
}

const PRIVATE = '192.168.0.0/16 172.16.0.0/12 10.0.0.0/8 127.0.0.1/8 fd00::/8 ::1'.split(' ')

function narrowed(match: Match, directive: Directive, directives: Directive[]): Match {
  const { name } = directive
  const args = argsOf(directive)
  switch (name) {
    case 'host':
      return { ...match, hosts: { names: args.map((one) => one.toLowerCase()), isNot: false } }
    case 'protocol':
      return { ...match, scheme: args[0] ?? '' }
    case 'method':
      return { ...match, isForMethods: true }
    case 'remote_ip':
    case 'client_ip': {
      const named = args.filter((one) => one !== 'forwarded')
      const addresses = named.flatMap((one) => (one === 'private_ranges' ? PRIVATE : [one]))
      const isGood = addresses.length > 0 && addresses.every(isAddress) && match.clients === null
      return isGood
        ? { ...match, clients: { addresses, isNot: false } }
        : { ...match, isOdd: true, clients: { addresses: [], isNot: false } }
    }
    case 'path_regexp': {
      const text = args.at(-1) ?? ''
      const patterns = ofRegex(text, false)
      const regex = { name: args.length > 1 ? (args[0] ?? '') : '', text }
      if (text.includes(UNKNOWN_VALUE) || match.paths !== null) return { ...match, isOdd: true }
      return { ...match, regex, paths: patterns }
    }
    case 'file': {
      const named = (directive.block ?? []).filter(({ name: key }) => key === 'try_files')
      directives.push(...(directive.block ?? []))
      const candidates = [...args, ...named.flatMap(argsOf)]
      const files = { candidates: candidates.length > 0 ? candidates : ['{path}'] }
      return { ...match, files: { ...files, isMissing: false } }
    }
    case 'not':
      return withoutInner(match, directive, directives)
    case 'expression':
      return { ...match, isOdd: true, isGate: args.join(' ').includes('!') || match.isGate }
    default:
      return { ...match, isOdd: true }
  }
}

function withoutInner(match: Match, directive: Directive, directives: Directive[]): Match {
  const inner = directive.words.length > 0 ? [inOneLine(directive)] : (directive.block ?? [])
  if (directive.words.length === 0) directives.push(...inner)
  const paths = inner.filter(({ name }) => name === 'path').flatMap(argsOf)
  const kinds = new Set(inner.map(({ name }) => name))
  // Not both is not "neither".
  if (kinds.size !== 1) return { ...match, isOdd: true, isGate: true }
  if (paths.length > 0) {
    const except = ofPaths(paths)
    if (except.isOdd || except.paths === null) return { ...match, isOdd: true, isGate: true }
    return { ...match, except: [...match.except, ...except.paths] }
  }
  const [only] = inner
  const of = only ? narrowed(ALL, only, directives) : ALL
  if (inner.length > 1 || of.isOdd || of.regex || of.scheme !== null)
    return { ...match, isOdd: true, isGate: true, clients: of.clients ?? match.clients }
  if (of.clients) return { ...match, clients: { ...of.clients, isNot: true } }
  if (of.hosts) return { ...match, hosts: { ...of.hosts, isNot: true } }
  if (of.files) return { ...match, files: { ...of.files, isMissing: true } }
  return { ...match, isForMethods: of.isForMethods || match.isForMethods }
}
