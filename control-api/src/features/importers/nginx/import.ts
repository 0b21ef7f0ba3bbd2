// SPDX-License-Identifier: MIT
// A config of nginx as a draft for nodes, and what became of each of its directives.
import type { DraftSite, Rule } from '../draft.ts'
import { ANY_ROOT, listenList, namesWithin, sitesWithin } from '../every-site.ts'
import { Findings } from '../findings.ts'
import { type Imported, importedOf } from '../imported.ts'
import { escapeRegex } from '../regex.ts'
import { HTTPS_REDIRECT, MISSING_FILE, NO_CERTIFICATE, NO_HTTPS, UNKNOWN_HOST } from '../sayings.ts'
import { argsOf, type Directive, everyDirective, type Source } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { typeMapOf } from './maps.ts'
import { accessLogOf, nodeMembers, type Whole } from './node.ts'
import { type NginxTree, parseNginx } from './parser.ts'
import { locationsOf, Scope } from './scope.ts'
import {
  type Listen,
  leaveOut,
  readServer,
  type Server,
  type SiteParts,
  translate,
} from './server.ts'
import type { Zone } from './site-context.ts'

/** Hosts in a sentence that each directive of their server has. */
const NAMED = 5

export function importNginx(mainFiles: readonly string[], source: Source): Imported {
  const tree = parseNginx(mainFiles, source)
  const findings = new Findings()
  sayMissing(tree, findings)
  const top = new Scope(unwrapped(tree.directives, findings), null, findings)
  const named = (name: string) => top.inner.filter((one) => one.name === name)
  const all = named('server').map((one) => readServer(one, top, findings))
  const kept = withoutOthers(all, findings)
  const zones = new Map(
    [...named('limit_req_zone'), ...named('limit_conn_zone')].map((one) => [zoneName(one), one]),
  )
  const whole: Whole = {
    ...{ findings, top, servers: kept, zones },
    formats: new Map(named('log_format').map((one) => [argsOf(one)[0] ?? '', one])),
    hasMissingTypes: tree.missing.some(isTypes),
  }
  const maps = new Map(named('map').map((one) => [(argsOf(one)[1] ?? '').slice(1), one]))
  const sites = sitesOf(kept, all, whole, {
    findings,
    mapOf: (name) => {
      const map = maps.get(name)
      return map ? typeMapOf(map) : null
    },
    zoneOf: (name) => zoneOf(zones.get(name)),
    anyRoot: anyRoot(kept, top),
  })
  const listens = listensOf(kept, sites, findings)
  for (const map of maps.values()) sayMap(map, findings)
  const draft =
    sites.length === 0
      ? null
      : { listen: listenList(listens.map(ruleOf)), ...nodeMembers(whole), sites }
  return importedOf({ language: 'nginx', mainFiles }, draft, findings.list(tree.directives))
}

const isTypes = (directive: Directive) => /(^|\/)mime\.types$/.test(argsOf(directive)[0] ?? '')

function sayMissing({ missing }: NginxTree, findings: Findings): void {
  for (const directive of missing) {
    if (isTypes(directive)) {
      findings.different(
        [directive],
        'own-types',
        'The file was not given: the node’s own list of media types is used.',
      )
    } else {
      findings.unsupported([directive], 'missing-file', MISSING_FILE)
    }
  }
}

/** A main file has its servers in `http`; one of sites-enabled has them at the top. */
function unwrapped(directives: readonly Directive[], findings: Findings): Directive[] {
  return directives.flatMap((directive) => {
    const isWrapper = directive.block && (directive.name === 'http' || directive.name === 'events')
    if (!isWrapper) return [directive]
    findings.taken(directive)
    return directive.block ?? []
  })
}

/** Those that become sites. */
function withoutOthers(all: readonly Server[], findings: Findings): Server[] {
  return all.filter((server) => {
    if (server.isApplication) {
      leaveOut(server, findings)
      return false
    }
    const steps = server.scope.steps
    const isRefusal =
      server.hosts.length === 0 &&
      (server.scope.isOn('ssl_reject_handshake') ||
        (steps.length === 1 && argsOf(steps[0] as Directive)[0] === '444'))
    if (isRefusal) {
      findings.different([...everyDirective([server.directive])], 'unknown-host', UNKNOWN_HOST)
    }
    return !isRefusal
  })
}

function sitesOf(
  kept: readonly Server[],
  all: readonly Server[],
  whole: Whole,
  parts: SiteParts,
): DraftSite[] {
  const { findings } = parts
  const fallback = defaultOf(kept, all)
  const hasGzip = [whole.top, ...kept.map(({ scope }) => scope)].some(
    (scope) => scope.isOn('gzip') || scope.isOn('brotli'),
  )
  const translated = kept.map((server) => {
    const isFallback = fallback.has(server)
    // The fallback goes first, as it may not be what is left out.
    const all = [...new Set([...(isFallback ? ['*'] : []), ...server.hosts])]
    const own = namesWithin(all, server.directive, findings)
    const names = [...own.filter((one) => one !== '*'), ...own.filter((one) => one === '*')]
    if (names.length === 0) {
      const text = 'It has no name and is no default, so no request reaches it.'
      findings.different([...everyDirective([server.directive])], 'unused', text)
    }
    const { sites } = names.length === 0 ? { sites: [] } : translate(server, names, parts)
    for (const site of sites)
      Object.assign(site, logMember(server, whole), compressMember(server, hasGzip))
    return { server, sites, isTls: server.listens.some(({ tls }) => tls) }
  })
  // Servers with TLS first: they are what others send clients to.
  const ordered = [
    ...translated.filter(({ isTls }) => isTls),
    ...translated.filter(({ isTls }) => !isTls),
  ]
  const taken = new Map<string, DraftSite>()
  for (const { server, sites, isTls } of ordered) {
    for (const site of sites) place(site, { server, isTls, taken, findings })
  }
  const made = translated.flatMap(({ server, sites }) =>
    sites
      .filter(({ hosts }) => hosts.length > 0)
      .map((site) => ({ directive: server.directive, site })),
  )
  return sitesWithin(made, findings)
}

type Placing = { server: Server; isTls: boolean; taken: Map<string, DraftSite>; findings: Findings }

/** A site answers alike at all addresses, so a host is of one server; one that sends to https is a word of the other. */
function place(site: DraftSite, { server, isTls, taken, findings }: Placing): void {
  const [hosts, lost]: [string[], string[]] = [[], []]
  for (const host of site.hosts) {
    const other = taken.get(host)
    if (!other) {
      hosts.push(host)
      taken.set(host, site)
    } else if (!isTls && sendsToHttps(site, host, other)) {
      other.redirectToHttps = true
      findings.different(
        server.scope.steps.length > 0 ? server.scope.steps : [server.directive],
        'https-redirect',
        HTTPS_REDIRECT,
      )
      takeAliases(other, site)
    } else if (host === '*') {
      const text = `Names that no site has are answered as by ${other.comment}, at every address.`
      findings.different([server.directive], 'default-server', text)
    } else lost.push(host)
  }
  site.hosts = hosts
  if (lost.length === 0) return
  const others = lost.length - NAMED
  const names = [...lost.slice(0, NAMED), ...(others > 0 ? [`${others} more`] : [])].join(', ')
  const text = `${names}: another server has this name at another address, and a site answers alike at all of them.`
  const isGone = hosts.length === 0
  findings.unsupported(
    isGone ? [...everyDirective([server.directive])] : [server.directive],
    'other-port',
    text,
  )
}

function sendsToHttps(
  { redirects, redirectToHttps }: DraftSite,
  host: string,
  other: DraftSite,
): boolean {
  if (redirectToHttps) return true
  const [only, ...others] = (redirects ?? []) as Rule[]
  const to = typeof only?.to === 'string' ? only.to : ''
  const target = /^https:\/\/([^/$]+|\$\{host\})\$0$/.exec(to)?.[1]
  if (!target || others.length > 0) return false
  const isSame = target === host || target.startsWith('$')
  // Two steps in place of one: to https, and there to the other name.
  const [its] = (other.redirects ?? []) as Rule[]
  return isSame || (typeof its?.to === 'string' && its.to === to)
}

/** What was served without TLS beside the redirect (answers for certificates' authorities) stays reachable. */
function takeAliases(site: DraftSite, from: DraftSite): void {
  const [own, more] = [(site.aliases ?? []) as Rule[], (from.aliases ?? []) as Rule[]]
  const added = more.filter(({ path }) => !own.some((one) => one.path === path))
  if (added.length === 0) return
  site.aliases = [...own, ...added]
  const isnt = added.map(({ path }) => `(?!${escapeRegex(String(path))})`).join('')
  if (site.redirects) {
    site.redirects = (site.redirects as Rule[]).map((rule) => ({
      ...rule,
      match: String(rule.match).replace(/^\^/, `^${isnt}`),
    }))
  }
}

/** Who answers for names that nobody has. One for all addresses: with TLS, if there is one. */
function defaultOf(kept: readonly Server[], all: readonly Server[]): Set<Server> {
  const byAddress = new Map<string, Server>()
  for (const server of all) {
    for (const { address, port, socket } of server.listens) {
      const key = `${address} ${port} ${socket}`
      const had = byAddress.get(key)
      if (!had || (server.isDefault && !had.isDefault)) byAddress.set(key, server)
    }
  }
  const found = [...new Set(byAddress.values())].filter((server) => kept.includes(server))
  const secure = found.find(({ listens }) => listens.some(({ tls }) => tls))
  const plain = found.find(({ listens }) => !listens.some(({ tls }) => tls))
  return new Set([secure, plain].filter((one) => one !== undefined))
}

/** Those with TLS only where a site has a certificate to show. */
function listensOf(servers: readonly Server[], sites: DraftSite[], findings: Findings): Listen[] {
  const hasCertificate = sites.some(({ certificates }) => certificates)
  const all = servers.flatMap(({ listens }) => listens)
  const kept = all.filter(({ tls }) => hasCertificate || !tls)
  for (const { directive } of all.filter((one) => !kept.includes(one))) {
    if (directive) findings.unsupported([directive], 'no-certificate', NO_CERTIFICATE)
  }
  const senders = sites.filter(({ redirectToHttps }) => redirectToHttps)
  if (senders.length > 0 && !kept.some(({ tls }) => tls)) {
    for (const site of senders) delete site.redirectToHttps
    findings.different(
      servers.map(({ directive }) => directive),
      'no-https',
      NO_HTTPS,
    )
  }
  return kept
}

const ruleOf = ({ address, port, socket, tls, rest }: Listen): Rule => ({
  ...(socket ? { socket } : { address, port }),
  ...(tls && { tls }),
  ...rest,
})

const compressMember = ({ scope }: Server, hasGzip: boolean): Rule =>
  !hasGzip || scope.isOn('gzip') || scope.isOn('brotli') ? {} : { compress: [] }

function logMember({ scope }: Server, whole: Whole): Rule {
  const { findings } = whole
  const own = scope.own('access_log')
  const { list } = locationsOf(scope, findings)
  const quiet = list.filter(({ scope: inner }) => inner.own('access_log').length > 0)
  const silent = quiet.filter(
    ({ scope: inner, patterns }) => inner.argsOf('access_log')[0] === 'off' && patterns,
  )
  const effective = accessLogOf(scope.of('access_log'), whole)
  for (const one of quiet) {
    if (silent.includes(one)) findings.taken(...one.scope.own('access_log'))
    else
      findings.unsupported(
        one.scope.own('access_log'),
        'second-log',
        'A site has one log: choose by accessLog.paths and .exceptPaths.',
      )
  }
  const exceptPaths = silent.flatMap(({ patterns }) => patterns ?? []).slice(0, 64)
  if (!effective || effective.path === 'none')
    return own.length > 0 && effective ? { accessLog: effective } : {}
  if (exceptPaths.length === 0) return own.length > 0 ? { accessLog: effective } : {}
  return { accessLog: { ...effective, exceptPaths } }
}

function anyRoot(servers: readonly Server[], top: Scope): string {
  const roots = servers.flatMap(({ scope }) => scope.resolved(scope.argsOf('root')[0] ?? ''))
  const good = [...roots, top.argsOf('root')[0] ?? ''].find(
    (root) => isAbsolutePath(root) && !root.includes('$'),
  )
  return good ?? ANY_ROOT
}

const zoneName = (zone: Directive) =>
  /^zone=([^:]+)/.exec(argsOf(zone).find((word) => word.startsWith('zone=')) ?? '')?.[1] ?? ''

function zoneOf(directive: Directive | undefined): Zone | null {
  const words = directive ? argsOf(directive) : []
  const rate = /^rate=(\d{1,6})r\/([sm])$/.exec(
    words.find((word) => word.startsWith('rate=')) ?? '',
  )
  if (!directive || !rate) return null
  const requests = Math.min(Math.max(Number(rate[1]), 1), 100_000)
  return { directive, key: words[0] ?? '', requests, perSeconds: rate[2] === 'm' ? 60 : 1 }
}

const MAP =
  'A node has no variables. Old addresses of a map become lines of sites[].redirectFile: take off the ";" of each.'

function sayMap(map: Directive, findings: Findings): void {
  if (!findings.isSaid(map)) findings.unsupported([...everyDirective([map])], 'variable', MAP)
}
