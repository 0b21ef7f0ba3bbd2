// SPDX-License-Identifier: MIT
// The form's own words about an option. What an option means is said by the node's schema.
import { formatByteRate, formatBytes, formatCount, plural } from '../../../lib/format.ts'
import { expectation, listedValues, type Path, type SchemaNode, typesOf } from '../schema-walk.ts'

/** What one item of a list is called; an option the console does not know has entries. */
const itemNames: Record<string, string> = {
  listen: 'listening address',
  sites: 'site',
  aliases: 'alias',
  redirects: 'redirect',
  rewrites: 'rewrite',
  tryFiles: 'rule',
  cors: 'rule for other origins',
  pages: 'error page',
  errorPageRules: 'rule for error pages',
  maintenance: 'rule',
  requestLimits: 'limit',
  downloads: 'download rule',
  preload: 'rule for links',
  storedCodings: 'rule for stored files',
  headers: 'header rule',
  expires: 'caching rule',
  access: 'access rule',
  auth: 'password rule',
  certificates: 'certificate',
  signedUrls: 'signature rule',
  hotlink: 'link rule',
  mimeTypes: 'suffix',
  errorPages: 'error page',
}
const manyNames: Record<string, string> = {
  listen: 'listening addresses',
  aliases: 'aliases',
  cors: 'rules for other origins',
  errorPageRules: 'rules for error pages',
  preload: 'rules for links',
  storedCodings: 'rules for stored files',
  mimeTypes: 'suffixes',
}

export const itemName = (option: string) => itemNames[option] ?? 'entry'
const manyName = (option: string) =>
  manyNames[option] ?? (itemNames[option] === undefined ? 'entries' : undefined)

export const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** "3 redirects", "2 of 10 set", "as by default": what a closed section holds. */
export function summaryOf(option: string, schema: SchemaNode, value: unknown): string {
  const count = sizeOf(value)
  if (schema.properties === undefined) {
    if (value === undefined)
      return Array.isArray(schema.default) && schema.default.length > 0 ? 'as by default' : 'none'
    return count === 0 ? 'none' : plural(count, itemName(option), manyName(option))
  }
  if (count === 0) return 'as by default'
  return `${count} of ${Object.keys(schema.properties).length} set`
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** A rule in a line: what its first, telling options say, in the order of the schema. */
export function itemSummary(schema: SchemaNode, value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ''
  const given = value as Record<string, unknown>
  const said = Object.keys(schema.properties ?? {})
    .filter((key) => key in given)
    .map((key) => shortly(key, given[key]))
    .filter((words) => words !== '')
  return said.join(' · ')
}

/** A site is called by the names it answers to; one that has none yet by its number. */
export function siteName(value: unknown, index: number): string {
  const { hosts } = Object(value) as { hosts?: unknown }
  const names = Array.isArray(hosts) ? hosts.filter((one) => typeof one === 'string') : []
  const words = shortly(
    'hosts',
    names.map((name) => (name === '*' ? 'any host (*)' : name)),
  )
  return words === '' ? `Site ${index + 1}` : words
}

/** What an item of a list is called in its heading, and what stands behind that. */
export function itemHeading(list: string, schema: SchemaNode, value: unknown, index: number) {
  if (list !== 'sites') {
    return {
      title: `${capital(itemName(list))} ${index + 1}`,
      summary: itemSummary(schema, value),
    }
  }
  const { root } = Object(value) as { root?: unknown }
  return { title: siteName(value, index), summary: typeof root === 'string' ? root : '' }
}

function shortly(option: string, value: unknown): string {
  if (typeof value === 'boolean') return ''
  if (Array.isArray(value)) {
    const words = value.filter((one) => typeof one === 'string')
    if (words.length < value.length) return plural(value.length, itemName(option), manyName(option))
    return words.length > 2
      ? `${words.slice(0, 2).join(', ')} and ${words.length - 2} more`
      : words.join(', ')
  }
  return typeof value === 'object' || value === null ? '' : String(value)
}

export type HelpOptions = { isRequired: boolean; isChoice: boolean }
/** What stands at a field, and all there is to say; the same where one sentence says it. */
export type Help = { short: string; long: string }

const LIGHTTPD = / ?lighttpd: [^ ]+$/

/** A full stop ends a sentence before a blank: those in "page.html" and "192.0.2.7" do not. */
export const sentencesOf = (words: string) => words.split(/(?<=[.!?])\s+/).filter(Boolean)

/** What a section is about. The name that an option has in lighttpd is for who asks for more. */
export function sectionHelp({ description = '' }: SchemaNode): Help {
  const own = description.replace(LIGHTTPD, '')
  const [short = ''] = sentencesOf(own)
  return { short, long: short === own ? short : description }
}

/** The same for a field, with what may be written and what counts without it. */
export function helpOf(
  root: SchemaNode,
  schema: SchemaNode,
  { isRequired, isChoice }: HelpOptions,
): Help {
  const said = sectionHelp(schema)
  const facts: string[] = []
  if (typesOf(schema).includes('integer') && !isChoice) facts.push(rangeWords(root, schema))
  const fallback = defaultWords(schema)
  if (fallback !== null && !isRequired) facts.push(`default ${fallback}`)
  const more = [
    typesOf(schema)[0] === 'array' ? 'One a line.' : '',
    facts.length === 0 ? '' : `${capital(facts.join(', '))}.`,
    schema['x-live'] === false ? 'Takes effect when the node restarts.' : '',
  ]
  const withMore = (words: string) =>
    [words, ...more].filter((sentence) => sentence !== '').join(' ')
  return { short: withMore(said.short), long: withMore(said.long) }
}

function rangeWords(root: SchemaNode, schema: SchemaNode): string {
  const { minimum, maximum } = schema
  if (minimum === undefined || maximum === undefined || typesOf(schema).length > 1) {
    return expectation(root, schema).replace(/^a /, '')
  }
  const words = (limit: number) => inWords(limit, schema['x-unit']) || formatCount(limit)
  return `${words(minimum)} to ${words(maximum)}`
}

export function defaultWords({ default: value, 'x-unit': unit }: SchemaNode): string | null {
  if (value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join(', ')
  if (typeof value === 'object') return null
  const words = inWords(value, unit)
  return words === '' ? String(value) : `${value} (${words})`
}

/** A large number in words: "256 MiB", "365 days"; '' where the number says it as well. */
export function inWords(value: unknown, unit: string | undefined): string {
  if (typeof value !== 'number' || unit === undefined) return ''
  if (unit === 'bytes') return value >= 1024 ? formatBytes(value) : ''
  if (unit === 'bytes per second') return value >= 1000 ? formatByteRate(value) : ''
  const seconds = unit === 'seconds' ? value : unit === 'milliseconds' ? value / 1000 : 0
  for (const [length, name] of spans) {
    if (seconds >= length && seconds % length === 0) return plural(seconds / length, name)
  }
  return ''
}
const spans: [number, string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

export type Choice = { value: unknown; label: string }

/** Numbers of which each means something of its own; the schema has them as a range. */
const meanings: Record<string, Record<number, string>> = {
  'redirects/status': {
    301: 'permanent',
    302: 'temporary',
    303: 'see other, with GET',
    307: 'temporary, method kept',
    308: 'permanent, method kept',
  },
}

/** What may be chosen, when an option is a choice; true and false are asked as yes and no. */
export function choicesOf(root: SchemaNode, schema: SchemaNode, path: Path): Choice[] | null {
  if (schema.pattern !== undefined) return null
  const words =
    meanings[
      path
        .filter((key) => typeof key === 'string')
        .slice(-2)
        .join('/')
    ]
  if (words !== undefined) {
    return Object.entries(words).map(([number, means]) => ({
      value: Number(number),
      label: `${number} ${means}`,
    }))
  }
  const values = typesOf(schema).includes('integer') ? [] : listedValues(root, schema)
  return values.length === 0 ? null : values.map((value) => ({ value, label: choiceLabel(value) }))
}

const choiceLabel = (value: unknown) =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
