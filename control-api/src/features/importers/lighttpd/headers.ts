// SPDX-License-Identifier: MIT
// setenv's headers and `expire.url`. Within a condition lighttpd's list is in place of the one around; a node's rules for headers
// come on top of each other.
import type { Rule } from '../draft.ts'
import { LIGHTTPD_YEAR_SECONDS, timeOf } from '../expires-time.ts'
import type { Findings } from '../findings.ts'
import { isMediaType, SERVERS_OWN } from '../values.ts'
import { UNSAYABLE } from './access.ts'
import { directivesOf, isForAll, type Placed, pairsOf, type Settings } from './settings.ts'

const MOST_RULES = 64
const NAMES = ['setenv.add-response-header', 'setenv.set-response-header']

export function headersOf(settings: Settings, findings: Findings): Rule[] {
  const base = NAMES.flatMap((name) => settings.of(name) ?? [])
  const rules = NAMES.flatMap((name) => {
    const own = settings.of(name)
    const usual = own ? headersIn(own, findings) : []
    const seen = new Set(usual.map(([header]) => header.toLowerCase()))
    const first: Rule[] = usual.map(([name, value]) => ruleOf(name, value))
    return [...first, ...placedRules(settings.byPath(name).toReversed(), seen, findings)]
  })
  const says = base.some((one) => pairsOf(one).some(([name]) => /^cache-control$/i.test(name)))
  const times = settings.all('expire.url')
  if (says && times.length > 0) {
    const text =
      'The header Cache-Control goes before the times of expire.url, which lighttpd adds to it.'
    findings.different([...directivesOf(...base), ...directivesOf(...times)], 'both-caching', text)
  }
  return rules
}

/** Of the weakest first: what a later rule says replaces what an earlier one did. */
function placedRules(
  placed: readonly (Placed & { paths: readonly string[] })[],
  seen: Set<string>,
  findings: Findings,
): Rule[] {
  // The site says that there are too many, and has 64.
  return placed.slice(0, MOST_RULES + 1).flatMap((one) => {
    const paths = [...one.paths]
    findings.different(one.directives, 'served-path', SERVED_PATH)
    const headers = headersIn(one, findings)
    const names = headers.map(([name]) => name.toLowerCase())
    const gone = [...seen].filter((name) => !names.includes(name))
    for (const name of names) seen.add(name)
    return [
      ...gone.map((name) => ({ action: 'remove', name, paths })),
      ...headers.map(([name, value]) => ({ ...ruleOf(name, value), paths })),
    ]
  })
}

const EVERYWHERE =
  'It is also in refusals, redirects and errors; lighttpd leaves it out where a module before mod_setenv answers.'

/** Without a value it is taken away. */
const ruleOf = (name: string, value: string): Rule =>
  value === '' ? { action: 'remove', name } : { name, value }

function headersIn(setting: Placed, findings: Findings): [string, string][] {
  const pairs = pairsOf(setting)
  const good = pairs.filter(
    ([name, value]) =>
      /^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name) &&
      (value === '' || !SERVERS_OWN.has(name.toLowerCase())) &&
      /^([!-~]([ -~]*[!-~])?)?$/.test(value) &&
      value.length <= 4096,
  )
  const isVary = good.some(([name]) => name.toLowerCase() === 'vary')
  if (good.length < pairs.length) {
    const text =
      'A header has a name and a value of printable ASCII, and the node’s own (Date, ETag and the like) are none of them: left out.'
    findings.unsupported(setting.directives, 'header', text)
  } else if (isVary)
    findings.different(setting.directives, 'vary', 'It replaces what the node says itself.')
  else if (pairs.length === 0) findings.taken(...setting.directives)
  if (good.length > 0) findings.different(setting.directives, 'headers-everywhere', EVERYWHERE)
  return good.slice(0, MOST_RULES + 1)
}

const NO_EXPIRES = 'Cache-Control says it, in a 304 as well; the older Expires header is not sent.'
const SERVED_PATH =
  'The path of a rule is that of the file that is sent: of a folder its index file’s, of a rewritten path the new one.'
const NO_TIME = 'It is no time: "access plus 7 days", or "modification" in place of "access".'

export function expiresOf(settings: Settings, findings: Findings): Rule[] {
  const own = settings.of('expire.url')
  const byType = settings.of('expire.mimetypes')
  const all = [...settings.byPath('expire.url'), ...(own ? [{ ...own, paths: null }] : [])]
  const rules = all.flatMap((one) =>
    pairsOf(one).flatMap(([prefix, text]) => {
      const paths = one.paths ?? (prefix === '' || prefix === '/' ? [] : [`${prefix}**`])
      const isSaid = one.paths ? prefix === '' : /^(\/[^*?\p{Cc}]*)?$/u.test(prefix)
      const time = timeOf(text, LIGHTTPD_YEAR_SECONDS)
      if (!time || !isSaid) {
        findings.unsupported(one.directives, 'expires', time ? UNSAYABLE : NO_TIME)
        return []
      }
      return [{ ...(paths.length > 0 && { paths: [...paths] }), ...time }]
    }),
  )
  for (const one of all) {
    if (one.paths) findings.different(one.directives, 'served-path', SERVED_PATH)
    if (pairsOf(one).length > 0)
      findings.different(one.directives, 'expires-everywhere', NO_EXPIRES)
    else if (isForAll(one.where)) findings.taken(...one.directives)
    else findings.unsupported(one.directives, 'expires', UNSAYABLE)
  }
  return [...rules, ...(byType ? typeRules(byType, findings) : [])]
}

function typeRules(setting: Placed, findings: Findings): Rule[] {
  findings.different(setting.directives, 'expires-everywhere', NO_EXPIRES)
  return pairsOf(setting).flatMap(([name, text]) => {
    const type = name.replace(/\/$/, '/*')
    const time = timeOf(text, LIGHTTPD_YEAR_SECONDS)
    if (time && (name === '' || isMediaType(type)))
      return [{ ...(name !== '' && { types: [type] }), ...time }]
    findings.unsupported(setting.directives, 'expires', NO_TIME)
    return []
  })
}
