// SPDX-License-Identifier: MIT
// Names of hosts in rewrite rules: those a condition means, those whose pages may link, the one a rule leads to.
import { hostsOf } from '../regex.ts'
import type { Condition, RewriteRule } from './rewrite-rules.ts'

/** The host that a rule leads to, which may be a variable; "": none. */
export const targetName = ({ target }: RewriteRule): string =>
  (/^(?:https?|%\{(?:ENV:PROTO|REQUEST_SCHEME)\}):\/\/([^/?]+)/i.exec(target)?.[1] ?? '')
    .replace(/%\{REQUEST_URI\}.*$/i, '')
    .replace(/\$\d.*$/, '')

/** Of the host's names those for which all tests hold; null: an expression says more. */
export function namesSent(tests: readonly Condition[], hosts: readonly string[]): string[] | null {
  let sent: string[] | null = null
  const isOr = tests.some((one) => one.isOr)
  for (const { pattern, isNot } of tests) {
    const names = namesFor(pattern, isNot, hosts)
    if (!names) return null
    sent =
      sent === null
        ? names
        : isOr
          ? [...new Set([...sent, ...names])]
          : sent.filter((one) => names.includes(one))
  }
  return sent
}

function namesFor(pattern: string, isNot: boolean, hosts: readonly string[]): string[] | null {
  const text = pattern.replaceAll('[.]', '\\.')
  if (WWW.test(text)) {
    if (isNot) return hosts.filter((one) => !one.startsWith('www.'))
    return hosts.filter((one) => one.startsWith('www.'))
  }
  const names = text.startsWith('=') ? [text.slice(1).toLowerCase()] : hostsOf(text)
  if (!names) return null
  const isMeant = (host: string) =>
    names.some((one) => one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))))
  return isNot ? hosts.filter((one) => !isMeant(one)) : names.filter((one) => !one.startsWith('*.'))
}

export const WWW = /^\^www\\?\.(\(?\.[*+]\)?\$?)?$/

/** Whose pages may show files: of "^https?://(www\.)?example\.org/". */
export function refererHosts(pattern: string): string[] {
  const host = pattern
    .replace(/^\^?/, '')
    .replace(/^https?\??:\/\/|^http\(s\)\?:\/\/|^https?:\\\/\\\//, '')
    .replace(/(\/.*|\(\/.*)$/s, '')
    .replace(/\$$/, '')
    .replace(/^\((?:\.\*|\.\+|\[\^\/\]\+)\\\.\)\?/, '([^/]+\\.)?')
  const isOpen = /^(\(\[\^\/\][+*]\\?\.\)[?*]|\.\*)/.test(host)
  const rest = host.replace(/^(\(\[\^\/\][+*]\\?\.\)[?*]|\.\*)/, '')
  const names = hostsOf(`^${rest}$`) ?? []
  return isOpen ? names.flatMap((one) => (one.startsWith('*') ? [one] : [one, `*.${one}`])) : names
}
