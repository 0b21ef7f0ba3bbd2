// SPDX-License-Identifier: MIT
// A site as the places that its `handle` blocks make, and in each the directives in the order in which Caddy runs them.
import type { Directive } from '../tree.ts'
import { ALL, type Match, matchOf, type Named } from './matchers.ts'
import { below, both } from './patterns.ts'

/** A directive with what its matcher asks for; the words are those behind the matcher. */
export type Step = {
  directive: Directive
  name: string
  args: string[]
  match: Match
  /** Of the block in which it stands. */
  within: Within
  /** A block for all paths stands before it in Caddy's order, so that Caddy never comes to it. */
  isLate: boolean
}
export type Within = {
  paths: string[] | null
  prefix: string
  isOdd: boolean
  /** As of a matcher. */
  isGate: boolean
  before: string[]
}
export type Place = {
  /** null: all paths that no place before it has. */
  paths: string[] | null
  /** What `handle_path` takes off. */
  prefix: string
  own: Step[]
  /** Of the blocks around it: they hold here as well. */
  outer: Step[]
  /** Why no rule of a node can be for it alone. */
  why: 'odd' | null
  /** Of the places before it that are no part of it. */
  before: string[]
  directives: Directive[]
}

const ORDER = new Map(
  `tracing map vars fs root log_append skip_log log_skip log_name header copy_response_headers request_body redir method rewrite
  uri try_files basicauth basic_auth forward_auth request_header encode push intercept templates invoke handle
  route abort error copy_response respond metrics reverse_proxy php_fastcgi file_server acme_server`
    .split(/\s+/)
    .map((name, i) => [name, i] as const),
)
const HANDLES = new Set(['handle', 'handle_path'])
/** Of one site: each is held against all others. */
const MOST_PLACES = 1024
/** Directives of all sites, counted for each place in which they hold. */
export const MOST_PLACED = 20_000

export class TooManyPlaces extends Error {}

type Around = {
  paths: string[] | null
  prefix: string
  outer: Step[]
  named: Named
  isOdd: boolean
  isGate: boolean
  directives: Directive[]
  before: string[]
}
/** Hosts for which the site is looked at: a matcher of other hosts holds for none of its requests. */
export type Hosts = readonly string[]

/** In the order in which Caddy asks them; the last is for what no other has. */
export function placesOf(block: readonly Directive[], hosts: Hosts, budget: Budget): Place[] {
  const places: Place[] = []
  walk(block, around(), hosts, { places, budget })
  return places
}

const around = (): Around => ({
  ...{ paths: null, prefix: '', outer: [], named: new Map() },
  ...{ isOdd: false, isGate: false, directives: [], before: [] },
})

/** What is left of MOST_PLACED. */
export type Budget = { left: number }
type Out = { places: Place[]; budget: Budget }

function walk(block: readonly Directive[], at: Around, hosts: Hosts, out: Out): void {
  const named = new Map(at.named)
  for (const one of block) if (one.name.startsWith('@')) named.set(one.name, one)
  const { paths, prefix, directives, isOdd, isGate } = at
  const within = { paths, prefix, isOdd, isGate, before: at.before }
  const about = { named, hosts, within }
  const steps = inOrder(stepsOf(block, about))
  const inline = withClients(
    steps.flatMap((step) => (step.name === 'route' ? routed(step, about) : [step])),
  )
  const own = inline.filter(({ name }) => !HANDLES.has(name))
  const outer = [...at.outer, ...own]
  const before = [...at.before]
  let isClosed = false
  for (const step of inline.filter(({ name }) => HANDLES.has(name))) {
    const inner = innerOf(step, { ...at, named, outer, before: [...before] })
    if (isClosed) continue
    walk(step.directive.block ?? [], inner, hosts, out)
    if (inner.paths === null || sameAs(inner.paths, at.paths)) isClosed = !inner.isOdd
    else before.push(...inner.paths)
  }
  if (isClosed) {
    for (const step of own) step.isLate = DENIALS.has(step.name) && block.includes(step.directive)
    return
  }
  out.budget.left -= own.length + at.outer.length + 1
  if (out.budget.left < 0 || out.places.length >= MOST_PLACES) throw new TooManyPlaces()
  out.places.push({
    ...{ paths, prefix, own, outer: at.outer, why: isOdd ? 'odd' : null, before, directives },
  })
}

const DENIALS = new Set(['respond', 'error', 'abort'])
const inside = ({ directive }: Step) =>
  (directive.block ?? []).filter(({ name }) => !name.startsWith('@') && name !== 'import')

/** A block for some clients that only refuses is a refusal of them; what all others are refused is for these alone. */
function withClients(steps: readonly Step[]): Step[] {
  const isRefusal = (step: Step) =>
    HANDLES.has(step.name) &&
    inside(step).length === 1 &&
    inside(step).every(({ name }) => DENIALS.has(name))
  const others = steps.findLast((step) => isRefusal(step) && step.match === ALL)
  return steps.flatMap((step) => {
    const { match } = step
    if (!HANDLES.has(step.name) || match.clients === null || match.isOdd) return [step]
    if (isRefusal(step)) return [refusal(step, inside(step)[0] as Directive, match)]
    if (!others) return [step]
    const clients = { ...match.clients, isNot: !match.clients.isNot }
    const plain = { ...step, match: { ...match, clients: null } }
    return [plain, refusal(step, inside(others)[0] as Directive, { ...match, clients })]
  })
}

function refusal({ within, directive: handle }: Step, directive: Directive, match: Match): Step {
  const { args } = matchOf(directive, new Map())
  const directives = [...match.directives, handle]
  return {
    directive,
    name: directive.name,
    args,
    match: { ...match, directives },
    within,
    isLate: false,
  }
}

const sameAs = (a: readonly string[] | null, b: readonly string[] | null) =>
  a !== null && b !== null && a.join('\n') === b.join('\n')

function innerOf({ name, match, args, directive }: Step, at: Around): Around {
  const isPath = name === 'handle_path'
  const [own] = match.paths ?? []
  const stripped = isPath ? (own ?? args[0] ?? '').replace(/\/?\**$/, '') : ''
  const paths = match.paths && below(at.prefix, match.paths)
  const all = both(at.paths, paths)
  const isOdd =
    at.isOdd || all === undefined || isOddMatch(match) || (isPath && /[*?]/.test(stripped))
  return {
    ...at,
    ...{ paths: all ?? at.paths, prefix: at.prefix + stripped, isOdd },
    isGate: at.isGate || match.isGate,
    before: [...at.before, ...below(at.prefix, match.except)],
    directives: [...at.directives, directive, ...match.directives],
  }
}

/** What the paths of rules do not say. */
export const isOddMatch = ({ isOdd, clients, files, scheme, isForMethods, regex, paths }: Match) =>
  isOdd ||
  clients !== null ||
  files !== null ||
  scheme !== null ||
  isForMethods ||
  (regex !== null && paths === null)

type About = { named: Named; hosts: Hosts; within: Within }

function stepsOf(block: readonly Directive[], { named, hosts, within }: About): Step[] {
  return block.flatMap((directive) => {
    const { name } = directive
    if (name.startsWith('@') || name === 'import') return []
    const { match, args } = matchOf(directive, named)
    const step: Step = { directive, name, args, match, within, isLate: false }
    return isOfHosts(match, hosts) ? [step] : []
  })
}

function isOfHosts({ hosts }: Match, of: Hosts): boolean {
  if (hosts === null) return true
  const isNamed = of.every((one) => hosts.names.some((name) => covers(name, one)))
  return isNamed !== hosts.isNot
}
export const covers = (name: string, host: string) =>
  name === host || (name.startsWith('*.') && /^[^.]+\./.test(host) && host.endsWith(name.slice(1)))

/** In the order of the text, whatever they are; its matcher holds for each. */
function routed({ directive, match, name }: Step, about: About): Step[] {
  const inner = new Map(about.named)
  for (const one of directive.block ?? []) if (one.name.startsWith('@')) inner.set(one.name, one)
  return stepsOf(directive.block ?? [], { ...about, named: inner }).flatMap((step) => {
    const narrow = { ...step, match: together(match, step.match) }
    return step.name === name ? routed(narrow, { ...about, named: inner }) : [narrow]
  })
}

function together(a: Match, b: Match): Match {
  const paths = both(a.paths, b.paths)
  return {
    ...{ paths: paths ?? null, except: [...a.except, ...b.except], regex: b.regex ?? a.regex },
    ...{ clients: b.clients ?? a.clients, hosts: null, scheme: b.scheme ?? a.scheme },
    ...{ files: b.files ?? a.files, isForMethods: a.isForMethods || b.isForMethods },
    isOdd: a.isOdd || b.isOdd || paths === undefined || (a.clients !== null && b.clients !== null),
    isGate: a.isGate || b.isGate,
    directives: [...a.directives, ...b.directives],
  }
}

/** By kind, then by the length of a single path, longest first, then those with a matcher. */
function inOrder(steps: readonly Step[]): Step[] {
  const rank = ({ name }: Step) => ORDER.get(name === 'handle_path' ? 'handle' : name) ?? ORDER.size
  return steps.toSorted((a, b) => rank(a) - rank(b) || bySize(a, b))
}

function bySize(a: Step, b: Step): number {
  const [x, y] = [singleOf(a), singleOf(b)]
  if (x !== null && y !== null) {
    const [s, t] = [x.replace(/\*$/, ''), y.replace(/\*$/, '')]
    return s === t ? x.length - y.length : y.length - x.length
  }
  return Number(a.match === ALL) - Number(b.match === ALL)
}

function singleOf({ directive, match }: Step): string | null {
  const first = directive.words[0]?.text ?? ''
  if (first.startsWith('/') && match !== ALL) return first
  const [definition] = match.directives
  const [kind, path, ...more] = definition?.words.slice(0, 3) ?? []
  const isSingle = match.directives.length === 1 && kind?.text === 'path' && more.length === 0
  return isSingle ? (path?.text ?? null) : null
}

/** Each once, those around others first. */
export const stepsIn = (places: readonly Place[]): Step[] => [
  ...new Set(places.flatMap(({ own, outer }) => [...outer, ...own])),
]
/** It would only answer what Caddy never asks it. */
export const isIdle = (step: Step) => step.isLate && isForAll(step)
export const isForAll = ({ match }: Step) => match.paths === null && !isOddMatch(match)
