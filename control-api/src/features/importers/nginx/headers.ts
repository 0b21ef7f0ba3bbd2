// SPDX-License-Identifier: MIT
// `expires` and `add_header`: nginx's inner lists replace the outer ones; the node's rules come on top of each other.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isMediaType, SERVERS_OWN } from '../values.ts'
import type { TypeMap } from './maps.ts'
import { firstThatFits, pathsOf } from './rules.ts'
import type { Location, Locations, Scope } from './scope.ts'
import { mayMeet } from './scope.ts'
import { secondsOf } from './values.ts'

type Context = {
  findings: Findings
  locations: Locations
  mapOf: (variable: string) => TypeMap | null
}
/** Without a value: the header is taken away. */
type Header = { name: string; value: string; isAlways: boolean; types: readonly string[] }
type Caching = {
  rules: (Rule & { maxAgeSeconds: number })[]
  /** What `expires` of the node can't say, as values of Cache-Control. */
  values: { types: readonly string[]; value: string }[]
}

const NO_EXPIRES =
  'Cache-Control says it; the older Expires header is not sent, and redirects have neither of them.'
const LONGEST_SECONDS = 315_360_000
export const UNSAYABLE =
  'Its location’s expression says more than patterns of paths can. Write the paths into the rule by hand.'

export function headersOf(context: Context): { headers: Rule[]; expires: Rule[] } {
  const { locations, findings } = context
  const caching = firstThatFits(locations, {
    of: (scope) => cachingOf(scope, context),
    key: (value) => (value.rules.length + value.values.length === 0 ? '' : JSON.stringify(value)),
    unsayable: ({ scope }) => findings.unsupported(scope.own('expires'), 'location', UNSAYABLE),
  })
  // A header rule goes before `expires`, and `expires` has no rule that says nothing: a site that needs either has
  // header rules for all of it.
  const isPlain = caching.every(({ value }) => value.rules.length > 0 && value.values.length === 0)
  const isAlone = ![locations.base, ...locations.list.map(({ scope }) => scope)].some((scope) =>
    scope
      .of('add_header')
      .some((one) => isCacheControl(one) && (isOwnTime(one) || !hasExpires(scope))),
  )
  const asHeaders = !(isPlain && isAlone)
  return {
    headers: headerRules(context, asHeaders),
    expires: asHeaders
      ? []
      : caching.flatMap(({ paths, value }) =>
          value.rules.map((rule) => ({ ...pathsOf(paths), ...rule })),
        ),
  }
}

const MODIFIED = 'When the time is over, max-age=0 is said in place of no-cache.'
const TYPES_304 = 'It is also in a 304, for which nginx knows no type.'
const VARY =
  'It is added to what the node says itself, also where an inner list of headers leaves it out.'
const NONE: Caching = { rules: [], values: [] }
const hasExpires = (scope: Scope) => !['off', undefined].includes(scope.argsOf('expires').at(-1))

function cachingOf(scope: Scope, { findings, mapOf }: Context): Caching {
  const [directive] = scope.of('expires')
  if (!directive) return NONE
  const words = argsOf(directive)
  const text = words.at(-1) ?? ''
  const refuse = (why: string) => {
    findings.unsupported([directive], 'expires', why)
    return NONE
  }
  const directives = scope
    .of('add_header')
    .filter((one) => isCacheControl(one) && !isOwnTime(one))
    .map((one) => argsOf(one)[1] ?? '')
    .filter((value) => value !== '' && !value.includes('$'))
    .join(', ')
  const rest = directives === '' ? {} : { directives }
  if (text.startsWith('$')) {
    const map = mapOf(text.slice(1))
    if (!map)
      return refuse('Only a map of $sent_http_content_type can be taken: its types become rules.')
    findings.different([directive, ...map.directives], 'expires-header', NO_EXPIRES)
    const all = [...map.entries, { types: [], value: map.usual }]
    return all.reduce((sum, { types, value }) => add(sum, value, { types, rest, from: null }), NONE)
  }
  if (text === 'off') {
    findings.taken(directive)
    return NONE
  }
  const from = words[0] === 'modified' ? 'modification' : null
  const caching = add(NONE, text, { types: [], rest, from })
  if (caching === NONE)
    return refuse('A time of day has no counterpart: say how many seconds a file may be kept.')
  findings.different([directive], 'expires-header', NO_EXPIRES)
  if (from) findings.different([directive], 'modified', MODIFIED)
  return caching
}

type Part = { types: readonly string[]; rest: Rule; from: string | null }

function add(sum: Caching, text: string, { types, rest, from }: Part): Caching {
  if (text === 'epoch' || text.startsWith('-')) {
    return { ...sum, values: [...sum.values, { types, value: 'no-cache' }] }
  }
  if (text === 'off' && types.length > 0)
    return { ...sum, values: [...sum.values, { types, value: '' }] }
  const seconds = text === 'max' ? LONGEST_SECONDS : secondsOf(text)
  if (seconds === null) return sum
  const maxAgeSeconds = Math.min(seconds, LONGEST_SECONDS)
  const rule = { ...(types.length > 0 && { types }), ...(from && { from }), maxAgeSeconds, ...rest }
  return { ...sum, rules: [...sum.rules, rule] }
}

const isCacheControl = (directive: Directive) =>
  argsOf(directive)[0]?.toLowerCase() === 'cache-control'
const isOwnTime = (directive: Directive) =>
  /(max-age|no-cache|no-store)/i.test(argsOf(directive)[1] ?? '')

/** From the server inwards: what a later rule sets replaces what an earlier one did. */
function headerRules(context: Context, asHeaders: boolean): Rule[] {
  const { locations, findings } = context
  const { list, base } = locations
  const own = wanted(base, context, asHeaders)
  const all = list.map(({ scope }) => wanted(scope, context, asHeaders))
  const names = [...new Set([own, ...all].flatMap((one) => [...one.keys()]))]
  const rules = names.flatMap((name) => setRules(name, own.get(name) ?? [], []))
  for (const [i, location] of [...list.entries()].reverse()) {
    const below = all.filter((_, k) => k > i && mayMeet(location, list[k] as Location))
    for (const name of names) {
      const here = all[i]?.get(name) ?? []
      const isSame = (other: readonly Header[] | undefined) =>
        JSON.stringify(other ?? []) === JSON.stringify(here)
      if ([...below, own].every((other) => isSame(other.get(name)))) continue
      if (location.patterns !== null) rules.push(...setRules(name, here, location.patterns))
      else {
        const named = ['add_header', 'more_set_headers', 'expires'].flatMap((key) =>
          location.scope.own(key),
        )
        findings.unsupported(named, 'location', UNSAYABLE)
      }
    }
  }
  return rules
}

function setRules(name: string, headers: readonly Header[], paths: readonly string[]): Rule[] {
  // The node adds to Vary alone, as an answer depends on it for itself, too.
  const isVary = name === 'vary'
  const gone = paths.length === 0 || isVary ? [] : [{ action: 'remove', name, paths }]
  if (headers.length === 0) return gone
  const untyped = headers.filter(({ types }) => types.length === 0)
  // What a rule for types adds to nothing must not add to what the server around says.
  const first = untyped.length === 0 ? gone : []
  const rules = headers.map((header) => ({
    ...actionOf(header, untyped.indexOf(header) > 0),
    name: header.name,
    ...(header.value !== '' && { value: header.value }),
    ...pathsOf(paths),
    ...(header.types.length > 0 && { types: header.types }),
    ...(!header.isAlways && header.value !== '' && { statuses: ['2xx', '3xx'] }),
  }))
  return [...first, ...rules]
}

function actionOf({ name, value }: Header, isFurther: boolean) {
  if (value === '') return { action: 'remove' }
  return isFurther || name.toLowerCase() === 'vary' ? { action: 'add' } : {}
}

/** By name in lower case; of one name those for types come last. */
function wanted(scope: Scope, context: Context, asHeaders: boolean): Map<string, Header[]> {
  const { findings } = context
  const headers = new Map<string, Header[]>()
  const put = (header: Header) => {
    const key = header.name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), header])
  }
  const caching = cachingOf(scope, context)
  if (asHeaders) {
    for (const one of cacheControls(caching))
      put({ name: 'Cache-Control', isAlways: false, ...one })
    if (caching.rules.some(({ from }) => from)) {
      const text =
        'Beside paths that are not kept at all, a time that begins with the file’s change can’t be said.'
      findings.unsupported(scope.of('expires'), 'expires', text)
    }
  }
  for (const directive of scope.of('add_header')) {
    // Where expires counts, they are one header.
    if (caching.rules.length > 0 && isCacheControl(directive) && !isOwnTime(directive))
      findings.taken(directive)
    else for (const header of headersIn(directive, context)) put(header)
  }
  for (const directive of scope.of('more_set_headers')) {
    const [only = ''] = argsOf(directive)
    const found = argsOf(directive).length === 1 ? /^([\w-]+):\s*([!-~].*)$/.exec(only) : null
    if (found?.[1] && found[2] && !only.includes('$') && !SERVERS_OWN.has(found[1].toLowerCase())) {
      findings.taken(directive)
      headers.set(found[1].toLowerCase(), [
        { name: found[1], value: found[2], isAlways: true, types: [] },
      ])
    } else refuse(directive, context, 'Write it as a rule of sites[].headers by hand.')
  }
  for (const directive of scope.of('more_clear_headers')) {
    refuse(directive, context, 'Write it as a rule of sites[].headers with the action "remove".')
  }
  return headers
}

const cacheControls = ({ rules, values }: Caching) => [
  ...rules
    .filter(({ from }) => !from)
    .map(({ types, maxAgeSeconds, directives }) => ({
      types: (types ?? []) as string[],
      value: `max-age=${maxAgeSeconds}${directives ? `, ${directives}` : ''}`,
    }))
    .sort((a, b) => a.types.length - b.types.length),
  ...values.toSorted((a, b) => a.types.length - b.types.length),
]

const refuse = (directive: Directive, { findings }: Context, text: string) =>
  findings.unsupported([directive], 'header', text)

function headersIn(directive: Directive, context: Context): Header[] {
  const { findings, mapOf } = context
  const [name = '', text = '', always] = argsOf(directive)
  const isAlways = always === 'always'
  const map = /^\$\w+$/.test(text) ? mapOf(text.slice(1)) : null
  const values = map
    ? [{ types: [], value: map.usual }, ...map.entries]
    : [{ types: [], value: text.replaceAll(/\s+/g, ' ').trim() }]
  const why = !/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name)
    ? 'It is no name of a header.'
    : SERVERS_OWN.has(name.toLowerCase())
      ? 'The node decides itself about this header.'
      : text.includes('$') && !map
        ? 'A node has no variables: write the value out, or use sites[].cors for origins.'
        : values.every(
              ({ value }) => /^([!-~]([ -~]*[!-~])?)?$/.test(value) && value.length <= 4096,
            )
          ? null
          : 'A header’s value is printable ASCII here.'
  if (why) {
    refuse(directive, context, why)
    return []
  }
  if (map) findings.different([directive, ...map.directives], 'types-304', TYPES_304)
  else if (name.toLowerCase() === 'vary') findings.different([directive], 'vary', VARY)
  else findings.taken(directive)
  return values.flatMap(({ types, value }) =>
    value === '' && (types.length === 0 || !map?.usual) ? [] : [{ name, value, isAlways, types }],
  )
}

/** A type for what has no known suffix, which here is said for all of a location. */
export function typeRules({ list, base }: Locations, findings: Findings): Rule[] {
  const usual = base.argsOf('default_type')[0]
  return list.flatMap(({ scope, patterns }) => {
    const own = scope.own('default_type')
    const type = own[0] ? argsOf(own[0])[0] : undefined
    if (!type || type === usual || !isMediaType(type)) return []
    if (patterns === null) {
      findings.unsupported(own, 'location', UNSAYABLE)
      return []
    }
    const text = 'Here it is the type of all that the location has, with a known suffix or without.'
    findings.different(own, 'type-for-all', text)
    const [types] = scope.own('types')
    if (types?.block?.length === 0) findings.taken(types)
    return [{ name: 'Content-Type', value: type, paths: patterns, statuses: ['2xx'] }]
  })
}
