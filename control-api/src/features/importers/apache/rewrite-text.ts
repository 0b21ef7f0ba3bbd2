// SPDX-License-Identifier: MIT
// Expressions and targets of RewriteRule as the node writes them. In a folder Apache holds an expression against what is
// behind the folder's own path; a node always against the whole path.
import { escapeRegex, groupsIn, withoutGroups } from '../regex.ts'
import type { Condition, RewriteRule } from './rewrite-rules.ts'

/** `prefix`: the path of the folder, "/" at its end; null: rules of a host. */
export type At = {
  prefix: string | null
  base: string
  scheme: 'http' | 'https'
  /** Expressions of whole paths for which earlier rules have ended the list, or others count. */
  except: readonly string[]
}

const HOST = '$' + '{host}'
const QUERY = '$' + '{query}'
const LONGEST_MATCH = 1024
const LONGEST_TARGET = 2048

export type Move = { match: string; to: string; isQueryDropped: boolean; hasOwnQuery: boolean }

const FOR_ALL = new Set(
  '^ . .* ^.* ^.*$ ^(.*)$ (.*) ^(.*) (.+) ^(.+)$ .+ ^.+$ ^/(.*)$ ^/(.*) ^/?(.*)$ ^/?(.*) ^/(.+)$ ^(?!index\\.html$).*$ ^/ ^/.*$ .$ ^(.+) (.*)$'.split(
    ' ',
  ),
)
export const isForAll = ({ pattern, isNot }: RewriteRule): boolean =>
  isNot ? pattern.length > 0 && !FOR_ALL.has(pattern) : FOR_ALL.has(pattern)

/** null: something in it has no counterpart. */
export function moveOf(rule: RewriteRule, at: At, paths: readonly Condition[]): Move | null {
  const wholeTarget = rule.target.replaceAll(/%\{(?:HTTP_HOST|SERVER_NAME|HTTP:Host)\}/gi, HOST)
  const [path = '', query] = splitQuery(wholeTarget)
  const isWhole = /%\{REQUEST_URI\}/i.test(path)
  const located = path
    .replaceAll(/%\{(?:ENV:PROTO|REQUEST_SCHEME)\}/gi, at.scheme)
    .replaceAll(/%\{QUERY_STRING\}/gi, QUERY)
  const isAbsolute = /^(https?:\/\/|\/|%\{REQUEST_URI\})/i.test(located)
  const to = isAbsolute ? located : `${at.base}${located}`
  if (/%\{(?!REQUEST_URI)|%\d|%$|\\/.test(to.replaceAll(HOST, ''))) return null
  const hasGroups = /\$[1-9]/.test(to)
  const usesMatch = to.includes('$0')
  if (usesMatch && (isWhole || hasGroups || groupsIn(rule.pattern) > 0) && at.prefix !== null)
    return null
  if (usesMatch && isWhole) return null
  const match = matchOf(rule, at, paths, { isWhole, wrapped: usesMatch && at.prefix !== null })
  if (match === null) return null
  const written = to
    .replaceAll(/%\{REQUEST_URI\}/gi, '$0')
    .replaceAll('$0', usesMatch && at.prefix !== null ? '$1' : '$0')
  const own =
    query === undefined || query === '' ? '' : `?${query.replaceAll(/%\{QUERY_STRING\}/gi, QUERY)}`
  const text = tidy(written) + own
  const groups = [...text.matchAll(/\$(\d)/g)].map(([, n]) => Number(n))
  const isGood =
    match.length <= LONGEST_MATCH &&
    !/\p{Cc}/u.test(match) &&
    text.length <= LONGEST_TARGET &&
    /^(https?:\/\/[^/$]|https?:\/\/\$\{host\}|\/|\$\d)[!-~]*$/i.test(text) &&
    !/\$(?![\d{])|%(?![0-9a-f]{2})/i.test(text.replaceAll(HOST, '').replaceAll(QUERY, '')) &&
    Math.max(0, ...groups) <= groupsIn(match)
  if (!isGood) return null
  return {
    match,
    to: text,
    isQueryDropped: query === '' || rule.flags.has('qsd'),
    hasOwnQuery: own !== '',
  }
}

/** A group that begins with a slash, behind one. */
const tidy = (text: string) => text.replaceAll(/(?<!:)\/\/+/g, '/')

function splitQuery(text: string): [string, string | undefined] {
  const at = text.indexOf('?')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

type Wish = { isWhole: boolean; wrapped: boolean }

/** null: it is too much. */
function matchOf(
  { pattern, isNot, flags }: RewriteRule,
  { prefix, except }: At,
  paths: readonly Condition[],
  { isWhole, wrapped }: Wish,
): string | null {
  const caseless = flags.has('nc') ? '(?i)' : ''
  const isnt = except.map((one) => `(?!${one})`).join('')
  const also = paths.map(lookahead).join('')
  const own = anchored(wrapped ? `(${pattern})` : pattern, prefix)
  if (isNot) {
    const inside = prefix === null || prefix === '/' ? '' : `(?=${escapeRegex(prefix)})`
    return `${caseless}^${isnt}${also}${inside}(?!${ahead(anchored(withoutGroups(pattern), prefix))}).*$`
  }
  if (isWhole && FOR_ALL.has(pattern) && prefix === null) return `^${isnt}${also}.*$`
  if (isWhole) return `${caseless}^${isnt}${also}(?=${ahead(own)}).*$`
  if (isnt === '' && also === '') return caseless + own
  return own.startsWith('^') && !own.includes('|')
    ? `${caseless}^${isnt}${also}${own.slice(1)}`
    : `${caseless}^${isnt}${also}(?s:.*?)(?:${own})`
}

/** An expression of a folder's rules, for whole paths. */
function anchored(pattern: string, prefix: string | null): string {
  if (prefix === null) return pattern
  const folder = escapeRegex(prefix)
  const bare = pattern.replace(/^\^?/, '')
  const isSimple = pattern.startsWith('^') && !/[|^]/.test(bare)
  if (isSimple) return `^${folder}${bare}`
  if (/^\.[*+]?\$?$|^\(\.[*+]\)\$?$/.test(pattern)) return `^${folder}${pattern}`
  return `^${folder}(?s:.*?)(?:${startsMoved(pattern, `(?<=^${folder})`)})`
}

/** Each "^" that means the beginning. */
function startsMoved(pattern: string, start: string): string {
  let text = ''
  let isInSet = false
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] ?? ''
    if (character === '\\') {
      text += character + (pattern[++i] ?? '')
      continue
    }
    if (character === '[') {
      isInSet = true
      if (pattern[i + 1] === '^') {
        text += '[^'
        i++
        continue
      }
    } else if (character === ']') isInSet = false
    text += character === '^' && !isInSet ? start : character
  }
  return text
}

const lookahead = ({ pattern, isNot, isCaseless }: Condition) => {
  const isExact = pattern.startsWith('=')
  const regex = isExact ? `^${escapeRegex(pattern.slice(1))}$` : withoutGroups(pattern)
  const own = ahead(regex)
  return `(?${isNot ? '!' : '='}${isCaseless ? `(?i:${own})` : own})`
}

/** An expression is looked for anywhere. */
export const ahead = (regex: string): string =>
  regex.startsWith('^') && !regex.includes('|') ? regex.slice(1) : `(?s:.*?)(?:${regex})`

/** Of a rule, as a look-ahead for those after it. */
export const exceptOf = ({ pattern, flags }: RewriteRule, prefix: string | null): string => {
  const own = ahead(anchored(withoutGroups(pattern), prefix))
  return flags.has('nc') ? `(?i:${own})` : own
}

/** For patterns of paths: as if it were held against the whole path. */
export function wholeRegex(pattern: string, prefix: string | null): string {
  if (prefix === null) return pattern
  if (prefix === '/' && !pattern.startsWith('^'))
    return pattern.startsWith('(^|/)') ? pattern.replace('(^|/)', '/') : pattern
  return pattern.startsWith('^') ? `^${escapeRegex(prefix)}${pattern.slice(1)}` : pattern
}
