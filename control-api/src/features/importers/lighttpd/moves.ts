// SPDX-License-Identifier: MIT
// Redirects and rewrites. lighttpd holds its expressions against the encoded path with its query, a node against the decoded path.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { groupsIn, patternsOf } from '../regex.ts'
import { PAGE_FOR_ALL } from '../sayings.ts'
import type { Setting } from './parser.ts'
import { directivesOf, type Placed, pairsOf, type Settings, textOf } from './settings.ts'

const MOST_RULES = 256
const LONGEST_MATCH = 1024
const LONGEST_TARGET = 2048
const NO_QUERY =
  'The expression sees the decoded path without its query; the query is kept, unless the address has one.'
const WHY_NOT =
  'Of an address a node knows $0 to $9, the host (%0, url.authority) and the query at its end (qsa); an expression has at most 1024 characters, and a site 256 of these rules. Write the rule by hand.'
// The node's variable, in a text.
const HOST = '$' + '{host}'

export function redirectsOf(settings: Settings, findings: Findings): Rule[] {
  const setting = settings.of('url.redirect')
  if (!setting) return []
  const code = settings.of('url.redirect-code')
  const status = code ? Number(textOf(code)) : 301
  const isStatus = [301, 302, 303, 307, 308].includes(status)
  if (isStatus) findings.taken(...directivesOf(code))
  else
    findings.different(
      directivesOf(code),
      'redirect-code',
      'The status is 301: 301 to 303, 307 and 308 lead elsewhere.',
    )
  const rest = isStatus && status !== 301 ? { status } : {}
  const rules = pairsOf(setting).map(([regex, to]) => {
    const target = targetOf(to)
    const isAddress = /^(https?:\/\/[^/$]|\/|\$)[!-~]*$/.test(target ?? '')
    const match = isAddress ? matchOf(regex, target ?? '') : null
    return match === null || target === null ? null : { match, to: target, ...rest }
  })
  return said(setting, rules, findings, 'redirect')
}

export function rewritesOf(settings: Settings, findings: Findings): Rule[] {
  const once = settings.of('url.rewrite-once')
  const repeated = settings.of('url.rewrite-repeat')
  const all = [once, repeated].flatMap((setting) => {
    if (!setting) return []
    const rules = pairsOf(setting).map(([regex, to]) => {
      const target = targetOf(to)?.replace(/\?.*$/s, '') ?? null
      const isPath = target !== null && /^[/$][!-~]*$/.test(target) && !target.includes(HOST)
      const match = isPath ? matchOf(regex, target) : null
      const more = setting === repeated ? { continue: true } : {}
      return match === null ? null : { match, to: target, ...more }
    })
    return said(setting, rules, findings, 'rewrite')
  })
  const text = 'Later rules of the list get the new path; it does not begin again at its first.'
  findings.different(directivesOf(repeated), 'rewrite-repeat', text)
  return all
}

function said(
  setting: Placed,
  rules: readonly (Rule | null)[],
  findings: Findings,
  code: string,
): Rule[] {
  const good = rules.filter((one) => one !== null)
  if (good.length < rules.length || good.length > MOST_RULES)
    findings.unsupported(setting.directives, code, WHY_NOT)
  else if (good.length === 0) findings.taken(...setting.directives)
  if (good.length > 0) findings.different(setting.directives, 'query-not-seen', NO_QUERY)
  return good.slice(0, MOST_RULES)
}

/** As the node writes addresses; null: something in it has no counterpart. */
function targetOf(text: string): string | null {
  const to = text
    .replace(/\$\{qsa\}$/, '')
    .replaceAll(/%0|\$\{url\.authority\}/g, HOST)
    .replaceAll(/\$\{(\d)\}/g, '$$$1')
  const rest = to.replaceAll(/\$\{host\}|\$\d/g, '')
  const isKnown = !/\$|%(?![A-Fa-f][0-9A-Fa-f])/.test(rest) && !/\$\d\d/.test(to)
  return isKnown && to.length <= LONGEST_TARGET ? to : null
}

function matchOf(regex: string, to: string): string | null {
  const groups = [...to.matchAll(/\$(\d)/g)].map(([, n]) => Number(n))
  const isText = regex.length <= LONGEST_MATCH && !/\p{Cc}/u.test(regex)
  return isText && Math.max(0, ...groups) <= groupsIn(regex) ? regex || '^' : null
}

/** A page for what is no file: `url.rewrite-if-not-file`. */
export function pagesForAll(settings: Settings, findings: Findings): Rule[] {
  const setting = settings.of('url.rewrite-if-not-file')
  if (!setting) return []
  const rules = pairsOf(setting).map(([regex, to]) => {
    const page = to.replace(/\?.*$/s, '')
    const paths = patternsOf(regex === '' ? '^' : regex, false)
    const isPage = /^\/[^${}%]*[^/${}%]$/.test(page)
    if (!isPage || paths === null || page.length > 1024) return null
    const isAll = paths.some((one) => one === '/**' || one === '/' || one === '**')
    return { ...(!isAll && { paths }), candidates: ['{path}', page] }
  })
  const good = rules.filter((one) => one !== null)
  if (good.length < rules.length) {
    const text = 'It needs patterns of paths and a page of the site: see sites[].tryFiles.'
    findings.unsupported(setting.directives, 'rewrite', text)
  }
  if (good.length > 0) findings.different(setting.directives, 'page-for-all', PAGE_FOR_ALL)
  else if (rules.length === 0) findings.taken(...setting.directives)
  return good
}

/** Whether all of it leads to https, at the host that was asked for. */
export const isToHttps = (setting: Setting): boolean => {
  const pairs = pairsOf(setting)
  return (
    pairs.length > 0 &&
    pairs.every(
      ([regex, to]) =>
        /^(\^?(\(?\/?\(?\.\*\)?\)?)?\$?)$/.test(regex) &&
        /^https:\/\/(%0|\$\{url\.authority\})(\$\{url\.path\}|\/?\$[01])(\$\{qsa\})?$/.test(to),
    )
  )
}
