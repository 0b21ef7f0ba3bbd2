// SPDX-License-Identifier: MIT
// The form's own words about an option. What an option means is said by the node's schema.
import { t } from '../../../languages/t.ts'
import { formatByteRate, formatBytes, formatCount } from '../../../lib/format.ts'
import { expectation, listedValues, type Path, type SchemaNode, typesOf } from '../schema-walk.ts'

/** What one item of a list is called, and so many of them. */
type ItemWords = { one: string; count: (count: number) => string }
const itemWords: Record<string, ItemWords> = {
  listen: {
    one: t('listening address'),
    count: (count) =>
      t('{count, plural, one {# listening address} other {# listening addresses}}', { count }),
  },
  sites: {
    one: t('site'),
    count: (count) => t('{count, plural, one {# site} other {# sites}}', { count }),
  },
  aliases: {
    one: t('alias'),
    count: (count) => t('{count, plural, one {# alias} other {# aliases}}', { count }),
  },
  redirects: {
    one: t('redirect'),
    count: (count) => t('{count, plural, one {# redirect} other {# redirects}}', { count }),
  },
  rewrites: {
    one: t('rewrite'),
    count: (count) => t('{count, plural, one {# rewrite} other {# rewrites}}', { count }),
  },
  tryFiles: {
    one: t('rule'),
    count: (count) => t('{count, plural, one {# rule} other {# rules}}', { count }),
  },
  cors: {
    one: t('rule for other origins'),
    count: (count) =>
      t('{count, plural, one {# rule for other origins} other {# rules for other origins}}', {
        count,
      }),
  },
  pages: {
    one: t('error page'),
    count: (count) => t('{count, plural, one {# error page} other {# error pages}}', { count }),
  },
  errorPageRules: {
    one: t('rule for error pages'),
    count: (count) =>
      t('{count, plural, one {# rule for error pages} other {# rules for error pages}}', { count }),
  },
  maintenance: {
    one: t('rule'),
    count: (count) => t('{count, plural, one {# rule} other {# rules}}', { count }),
  },
  requestLimits: {
    one: t('limit'),
    count: (count) => t('{count, plural, one {# limit} other {# limits}}', { count }),
  },
  downloads: {
    one: t('download rule'),
    count: (count) =>
      t('{count, plural, one {# download rule} other {# download rules}}', { count }),
  },
  preload: {
    one: t('rule for links'),
    count: (count) =>
      t('{count, plural, one {# rule for links} other {# rules for links}}', { count }),
  },
  storedCodings: {
    one: t('rule for stored files'),
    count: (count) =>
      t('{count, plural, one {# rule for stored files} other {# rules for stored files}}', {
        count,
      }),
  },
  headers: {
    one: t('header rule'),
    count: (count) => t('{count, plural, one {# header rule} other {# header rules}}', { count }),
  },
  expires: {
    one: t('caching rule'),
    count: (count) => t('{count, plural, one {# caching rule} other {# caching rules}}', { count }),
  },
  access: {
    one: t('access rule'),
    count: (count) => t('{count, plural, one {# access rule} other {# access rules}}', { count }),
  },
  auth: {
    one: t('password rule'),
    count: (count) =>
      t('{count, plural, one {# password rule} other {# password rules}}', { count }),
  },
  certificates: {
    one: t('certificate'),
    count: (count) => t('{count, plural, one {# certificate} other {# certificates}}', { count }),
  },
  signedUrls: {
    one: t('signature rule'),
    count: (count) =>
      t('{count, plural, one {# signature rule} other {# signature rules}}', { count }),
  },
  hotlink: {
    one: t('link rule'),
    count: (count) => t('{count, plural, one {# link rule} other {# link rules}}', { count }),
  },
  mimeTypes: {
    one: t('suffix'),
    count: (count) => t('{count, plural, one {# suffix} other {# suffixes}}', { count }),
  },
  errorPages: {
    one: t('error page'),
    count: (count) => t('{count, plural, one {# error page} other {# error pages}}', { count }),
  },
}
/** Of an option that the console does not know. */
const entryWords: ItemWords = {
  one: t('entry'),
  count: (count) => t('{count, plural, one {# entry} other {# entries}}', { count }),
}

const wordsOfItem = (option: string): ItemWords =>
  Object.hasOwn(itemWords, option) ? (itemWords[option] ?? entryWords) : entryWords
export const itemName = (option: string) => wordsOfItem(option).one

export const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** "3 redirects", "2 of 10 set", "as by default": what a closed section holds. */
export function summaryOf(option: string, schema: SchemaNode, value: unknown): string {
  const count = sizeOf(value)
  if (schema.properties === undefined) {
    if (value === undefined)
      return Array.isArray(schema.default) && schema.default.length > 0
        ? t('as by default')
        : t('none')
    return count === 0 ? t('none') : wordsOfItem(option).count(count)
  }
  if (count === 0) return t('as by default')
  return t('{count} of {keys} set', { count, keys: Object.keys(schema.properties).length })
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
    names.map((name) => (name === '*' ? t('any host (*)') : name)),
  )
  return words === '' ? t('Site {index}', { index: index + 1 }) : words
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
    if (words.length < value.length) return wordsOfItem(option).count(value.length)
    return words.length > 2
      ? t('{names} and {count, number} more', {
          names: words.slice(0, 2).join(', '),
          count: words.length - 2,
        })
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
  if (fallback !== null && !isRequired) facts.push(t('default {fallback}', { fallback }))
  const more = [
    typesOf(schema)[0] === 'array' ? t('One a line.') : '',
    facts.length === 0 ? '' : `${capital(facts.join(', '))}.`,
    schema['x-live'] === false ? t('Takes effect when the node restarts.') : '',
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
  return t('{words} to {words2}', { words: words(minimum), words2: words(maximum) })
}

export function defaultWords({ default: value, 'x-unit': unit }: SchemaNode): string | null {
  if (value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
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
  const isWhole = (length: number) => seconds >= length && seconds % length === 0
  if (isWhole(86_400))
    return t('{seconds, plural, one {# day} other {# days}}', { seconds: seconds / 86_400 })
  if (isWhole(3600))
    return t('{seconds, plural, one {# hour} other {# hours}}', { seconds: seconds / 3600 })
  return isWhole(60)
    ? t('{seconds, plural, one {# minute} other {# minutes}}', { seconds: seconds / 60 })
    : ''
}

export type Choice = { value: unknown; label: string }

/** Numbers of which each means something of its own; the schema has them as a range. */
const meanings: Record<string, Record<number, string>> = {
  'redirects/status': {
    301: t('permanent'),
    302: t('temporary'),
    303: t('see other, with GET'),
    307: t('temporary, method kept'),
    308: t('permanent, method kept'),
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
  typeof value === 'boolean' ? (value ? t('yes') : t('no')) : String(value)
