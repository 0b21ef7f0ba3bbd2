// SPDX-License-Identifier: MIT
// What holds where: the settings of a block over those of the blocks around it, and the locations of a server in the order in
// which nginx asks them.
import type { Findings } from '../findings.ts'
import { escapeRegex, patternsOf } from '../regex.ts'
import { HIDDEN_FILES, UNKNOWN } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { APPLICATIONS, SETTINGS, STEPS, saidOf } from './directives.ts'

/** One may be made of others: each step could make it a thousand times longer. */
const LONGEST_CONSTANT = 4096

/** `allow` and `deny` are one list. */
const keyOf = (name: string) => (name === 'allow' || name === 'deny' ? 'access' : name)

export class Scope {
  readonly steps: Directive[] = []
  readonly inner: Directive[] = []
  readonly #own = new Map<string, Directive[]>()
  readonly #constants = new Map<string, string>()
  readonly #parent: Scope | null

  constructor(block: readonly Directive[], parent: Scope | null, findings: Findings) {
    this.#parent = parent
    for (const directive of block) this.#place(directive, findings)
  }

  #place(directive: Directive, findings: Findings): void {
    const { name } = directive
    if (SETTINGS.has(name)) {
      const key = keyOf(name)
      this.#own.set(key, [...(this.#own.get(key) ?? []), directive])
    } else if (name === 'set') this.#set(directive, findings)
    else if (STEPS.has(name)) this.steps.push(directive)
    else if (BLOCKS.has(name)) this.inner.push(directive)
    else if (name === 'include') findings.taken(directive)
    else if (!APPLICATIONS.has(name)) sayWhatIsKnown(directive, findings)
  }

  #set(directive: Directive, findings: Findings): void {
    const [name = '', value = ''] = argsOf(directive)
    const text = this.resolved(value)
    if (text.includes('$') || text.length > LONGEST_CONSTANT) {
      findings.unsupported(
        [directive],
        'variable',
        'A node has no variables. Write what it stands for where it is used.',
      )
      return
    }
    this.#constants.set(name.slice(1), text)
    findings.taken(directive)
  }

  /** The setting that holds here: the nearest. */
  of(key: string): readonly Directive[] {
    return this.#own.get(key) ?? this.#parent?.of(key) ?? []
  }

  own(key: string): readonly Directive[] {
    return this.#own.get(key) ?? []
  }

  argsOf(key: string): string[] {
    const [first] = this.of(key)
    return first ? argsOf(first) : []
  }

  isOn(key: string): boolean {
    return ['on', 'always', '1'].includes(this.argsOf(key)[0] ?? '')
  }

  constant(name: string): string | null {
    return this.#constants.get(name) ?? this.#parent?.constant(name) ?? null
  }

  /** With what `set` gave a fixed value. */
  resolved(text: string): string {
    return text.replaceAll(
      /\$(?:\{(\w+)\}|(\d|[A-Za-z_]\w*))/g,
      (whole, braced, bare) => this.constant(braced ?? bare) ?? whole,
    )
  }
}

/** Looked at by who knows what they mean where they stand. */
const BLOCKS = new Set(
  'server location map limit_req_zone limit_conn_zone log_format listen worker_processes worker_connections'.split(
    ' ',
  ),
)

function sayWhatIsKnown(directive: Directive, findings: Findings): void {
  const said = saidOf(directive.name)
  const all = [...everyDirective([directive])]
  if (said?.verdict === 'different') findings.different(all, said.code, said.text)
  else if (said) findings.unsupported(all, said.code, said.text)
  else {
    findings.unsupported(all, 'unknown', UNKNOWN)
  }
}

export type Location = {
  directive: Directive
  scope: Scope
  kind: 'exact' | 'prefix' | 'first' | 'regex'
  text: string
  /** null: patterns can't say it. */
  patterns: string[] | null
  /** For redirects and rewrites, which are matched by expressions; looked for anywhere in the path. */
  regex: string
}
export type Locations = {
  /** Highest first; all but "/". */
  list: Location[]
  /** What holds where no other does: "/" if there is one, else the server. */
  base: Scope
  root: Location | null
  named: Map<string, Scope>
}

export function locationsOf(server: Scope, findings: Findings): Locations {
  const named = new Map<string, Scope>()
  const all = flatten(server, null, { named, findings }).filter((one) => !isHidden(one, findings))
  const root =
    all.find(({ kind, text }) => text === '/' && (kind === 'prefix' || kind === 'first')) ?? null
  const rank = ({ kind }: Location) => ['exact', 'first', 'regex', 'prefix'].indexOf(kind)
  const list = all
    .filter((one) => one !== root)
    .sort((a, b) => rank(a) - rank(b) || (a.kind === 'regex' ? 0 : b.text.length - a.text.length))
  return { list, base: root?.scope ?? server, root, named }
}

/** What shuts out names with a dot, except below /.well-known/, is what every node does. */
function isHidden({ directive, kind, text }: Location, findings: Findings): boolean {
  if (
    kind !== 'regex' ||
    !/^(\^?\/|\(\^\|\/\)|\(\?:\^\|\/\))\\\.\(\?!/.test(text) ||
    !text.includes('well-known')
  )
    return false
  const known = new Set(['deny', 'allow', 'return', 'access_log', 'log_not_found', 'include'])
  if (!directive.block?.every(({ name }) => known.has(name))) return false
  findings.different([...everyDirective([directive])], 'hidden-files', HIDDEN_FILES)
  return true
}

type Flattening = { named: Map<string, Scope>; findings: Findings }

function flatten(around: Scope, parent: Location | null, flattening: Flattening): Location[] {
  const { named, findings } = flattening
  return around.inner.flatMap((directive) => {
    if (directive.name !== 'location') return []
    const words = argsOf(directive)
    const scope = new Scope(directive.block ?? [], around, findings)
    const [last = ''] = words.slice(-1)
    if (last.startsWith('@')) {
      named.set(last, scope)
      findings.taken(directive)
      return []
    }
    const location = locationOf(directive, scope, parent)
    // Nested expressions are asked before those of the server.
    return [...flatten(scope, location, flattening), location]
  })
}

function locationOf(directive: Directive, scope: Scope, parent: Location | null): Location {
  const words = argsOf(directive)
  const joined = /^(~\*|\^~|=|~)(.*)$/.exec(words[0] ?? '')
  const sign = joined?.[1] ?? ''
  const text = (joined?.[2] || (sign ? words[1] : words[0])) ?? ''
  const common = { directive, scope, text }
  if (sign === '=')
    return { ...common, kind: 'exact', patterns: patternOf(text), regex: `^${escapeRegex(text)}$` }
  if (sign === '' || sign === '^~') {
    const kind = sign === '' ? 'prefix' : 'first'
    return { ...common, kind, patterns: patternOf(text, '**'), regex: `^${escapeRegex(text)}` }
  }
  const isCaseless = sign === '~*'
  const own = isCaseless ? `(?i)${text}` : text
  const patterns = patternsOf(text, isCaseless)
  if (!parent || parent.text === '/') return { ...common, kind: 'regex', patterns, regex: own }
  const below =
    parent.kind === 'regex'
      ? null
      : (patterns?.map((one) => patternWithin(parent.text, one)) ?? null)
  return {
    ...common,
    kind: 'regex',
    patterns: below?.every((one) => one !== null) ? below : null,
    regex: `^(?=(?s:.*?)(?:${parent.regex}))(?s:.*?)(?:${own})`,
  }
}

/** A star of the path's own is no star of a pattern, and can't be said. */
const patternOf = (text: string, end = '') =>
  text.startsWith('/') && !/[*?]/.test(text) ? [`${text}${end}`] : null

function patternWithin(prefix: string, pattern: string): string | null {
  if (/[*?]/.test(prefix)) return null
  if (pattern.startsWith('*')) return `${prefix}**${pattern.slice(1)}`
  if (pattern.startsWith('/**')) return `${prefix}${pattern.slice(1)}`
  return pattern.startsWith(prefix) ? pattern : null
}

/** May one path be of both? */
export function mayMeet(a: Location, b: Location): boolean {
  const [one, other] = a.kind === 'regex' ? [b, a] : [a, b]
  if (other.kind !== 'regex') {
    const exact = (l: Location) => l.kind === 'exact'
    if (exact(one) && exact(other)) return one.text === other.text
    return (
      (!exact(other) && one.text.startsWith(other.text)) ||
      (!exact(one) && other.text.startsWith(one.text))
    )
  }
  const ends = endsOf(other)
  if (!ends) return true
  if (one.kind === 'exact') return ends.some((end) => one.text.endsWith(end))
  const others = one.kind === 'regex' ? endsOf(one) : null
  return !others || others.some((end) => ends.some((its) => end.endsWith(its) || its.endsWith(end)))
}

/** Of "*.css" and the like alone. */
function endsOf({ patterns }: Location): string[] | null {
  if (!patterns?.every((one) => /^\*[^*?]+$/.test(one))) return null
  return patterns.map((one) => one.slice(1))
}
