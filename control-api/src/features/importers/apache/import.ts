// SPDX-License-Identifier: MIT
// A config of Apache's as a draft for nodes, and what became of each of its directives.
import type { DraftSite, Rule } from '../draft.ts'
import { ANY_ROOT, listenList, MOST_HOSTS, MOST_SITES, sayOfEverySite } from '../every-site.ts'
import { Findings } from '../findings.ts'
import { type Imported, importedOf } from '../imported.ts'
import { HTTPS_REDIRECT, MISSING_FILE, NO_CERTIFICATE, UNKNOWN, UNKNOWN_HOST } from '../sayings.ts'
import { argsOf, type Directive, everyDirective, type Source, Unreadable } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { type Address, addressOf, allOf, type Host, hostsOf, isProgram, leaveOut } from './hosts.ts'
import { argOf } from './layers.ts'
import { nodeMembers } from './node.ts'
import { type ApacheTree, keyOf, parseApache } from './parser.ts'
import { SETTINGS, saidOf } from './said.ts'
import { bodyOf } from './sections.ts'
import { siteOf } from './site.ts'

/** Directives of all hosts together, those of the server counted for each. */
const MOST_PLACED = 100_000

export function importApache(mainFiles: readonly string[], source: Source): Imported {
  const tree = parseApache(mainFiles, source)
  const whose = { language: 'apache' as const, mainFiles }
  const findings = new Findings()
  sayMissing(tree, findings)
  const context = { off: tree.off, findings }
  const main = bodyOf(tree.server, context)
  const files = tree.htaccess.map(({ folder, directives }) => ({
    ...{ folder, body: bodyOf(directives, context) },
  }))
  boundPlaced(tree, main.hosts.length, allOf(main).length)
  const anyRoot = anyRootOf(tree)
  const hosts = hostsOf({ main, files, findings, anyRoot })
  const kept = hosts.filter((host) => !isProgram(host, main, tree.off))
  for (const host of hosts) if (!kept.includes(host)) leaveOut(host, findings)
  if (kept.length === 0) {
    sayRest(tree, findings)
    return importedOf(whose, null, findings.list(tree.directives))
  }
  const listens = listensOf(main.own, kept, findings)
  const node = nodeMembers({ main, hosts: kept, findings })
  const sites = sitesOf(kept, hosts, {
    ...{ findings, main, hasTls: listens.some(({ tls }) => tls) },
    hasCompression: 'compression' in node,
  })
  sayOfAll(tree, kept, findings)
  sayUnread(files, kept, findings)
  sayRest(tree, findings)
  const draft = sites.length === 0 ? null : { listen: listens, ...node, sites }
  return importedOf(whose, draft, findings.list(tree.directives))
}

function boundPlaced({ directives }: ApacheTree, hosts: number, shared: number): void {
  const [first] = directives
  if (first && hosts * shared > MOST_PLACED)
    throw new Unreadable(
      first,
      `what is said outside of the hosts comes to more than ${MOST_PLACED} directives of all of them together`,
    )
}

function sayMissing({ missing }: ApacheTree, findings: Findings): void {
  findings.unsupported(missing, 'missing-file', MISSING_FILE)
}

function anyRootOf({ directives, htaccess }: ApacheTree): string {
  const [own] = htaccess
  if (directives.length === own?.directives.length) return own.folder || ANY_ROOT
  const roots = [...everyDirective(directives)]
    .filter((one) => keyOf(one) === 'documentroot')
    .map((one) => argOf(one).replace(/(?<=.)\/+$/, ''))
  return roots.find((root) => isAbsolutePath(root) && !/[{}$%]/.test(root)) ?? ANY_ROOT
}

type Context = Parameters<typeof siteOf>[2]

/** A site answers alike at all addresses, so a name is of one host: of that with TLS, if there is one. */
function sitesOf(kept: readonly Host[], others: readonly Host[], context: Context): DraftSite[] {
  const { findings } = context
  const defaults = defaultsOf(kept, others)
  const ordered = [...kept.filter((one) => one.isTls), ...kept.filter((one) => !one.isTls)]
  const taken = new Map<string, DraftSite>()
  const byHost = new Map<Host, DraftSite[]>()
  let hasAny = false
  for (const host of ordered) {
    const isDefault = defaults.has(host)
    const all = [...new Set([...(isDefault ? ['*'] : []), ...host.names])]
    const names = [...all.slice(isDefault ? 1 : 0, MOST_HOSTS), ...(isDefault ? ['*'] : [])]
    if (all.length > MOST_HOSTS)
      sayTooMany(host, `A site has at most ${MOST_HOSTS} names`, findings)
    if (names.length === 0 || byHost.size >= MOST_SITES) {
      if (names.length > 0) sayTooMany(host, `A config has at most ${MOST_SITES} sites`, findings)
      continue
    }
    const { site, others, isToHttps } = siteOf(host, names, context)
    const sites = [...(site ? [site] : []), ...others]
    byHost.set(host, sites)
    for (const one of sites)
      place(one, { host, taken, isToHttps, hasTls: context.hasTls, findings })
    hasAny ||= names.includes('*')
  }
  if (!hasAny) {
    const first = kept[0]?.directive
    if (first) findings.different([first], 'unknown-host', UNKNOWN_HOST)
  }
  const sites = kept.flatMap((host) => byHost.get(host) ?? [])
  return sites.filter(({ hosts }) => hosts.length > 0).slice(0, MOST_SITES)
}

function sayTooMany({ directive, body }: Host, most: string, findings: Findings): void {
  const said = directive ? [directive] : body.own.filter((one) => keyOf(one) === 'serveralias')
  findings.different(said, 'too-many', `${most}: the others are left out.`)
}

type Placing = {
  host: Host
  taken: Map<string, DraftSite>
  isToHttps: boolean
  hasTls: boolean
  findings: Findings
}

function place(site: DraftSite, { host, taken, isToHttps, hasTls, findings }: Placing): void {
  const lost: string[] = []
  site.hosts = site.hosts.filter((name) => {
    const other = taken.get(name)
    if (!other) {
      taken.set(name, site)
      return true
    }
    if (hasTls && !host.isTls && (isToHttps || leadsTo(site, other))) {
      other.redirectToHttps = true
      if (host.directive) findings.different([host.directive], 'https-redirect', HTTPS_REDIRECT)
      if (name === '*') sayDefault(host, other, findings)
      return false
    }
    if (name === '*') sayDefault(host, other, findings)
    else lost.push(name)
    return false
  })
  if (lost.length === 0 || !host.directive) return
  const names = [...lost.slice(0, 5), ...(lost.length > 5 ? [`${lost.length - 5} more`] : [])]
  const text = `${names.join(', ')}: another host has this name at another address, and a site answers alike at all of them.`
  const isGone = site.hosts.length === 0
  const all = isGone ? [...everyDirective([host.directive])] : [host.directive]
  findings.unsupported(all, 'other-port', text)
}

function sayDefault({ directive }: Host, { comment }: DraftSite, findings: Findings): void {
  const text = `Names that no site has are answered as by ${comment}, at every address.`
  if (directive) findings.different([directive], 'default-server', text)
}

/** Without TLS: all to https, at this name or where that with TLS leads. */
function leadsTo({ redirects }: DraftSite, other: DraftSite): boolean {
  const [only, ...more] = (redirects ?? []) as Rule[]
  const [its] = (other.redirects ?? []) as Rule[]
  if (!only || more.length > 0 || typeof only.to !== 'string') return false
  const isAll = /^\^(\.\*\$|\/?\??\(\.\*\)\$?)$/.test(String(only.match))
  const name = /^https:\/\/([^/$]+)/.exec(only.to)?.[1]
  if (!isAll || name === undefined) return false
  return other.hosts.includes(name) || (typeof its?.to === 'string' && its.to.includes(`//${name}`))
}

/** Who answers for names that nobody has: the first at an address, that with TLS if there is one. */
function defaultsOf(kept: readonly Host[], all: readonly Host[]): Set<Host> {
  const byAddress = new Map<string, Host>()
  for (const host of all) {
    if (!host.directive) return new Set(kept)
    for (const { address, port } of host.addresses) {
      const key = `${address} ${port}`
      if (!byAddress.has(key)) byAddress.set(key, host)
    }
  }
  const found = [...new Set(byAddress.values())].filter((host) => kept.includes(host))
  const pick = [found.find((one) => one.isTls), found.find((one) => !one.isTls)]
  return new Set(pick.filter((one) => one !== undefined))
}

const IPV4 =
  'Apache listens by IPv6 as well: add "::" to listen where the machine has such addresses.'

function listensOf(own: readonly Directive[], hosts: readonly Host[], findings: Findings): Rule[] {
  const securePorts = new Set(
    hosts.filter((one) => one.isTls).flatMap(({ addresses }) => addresses.map(({ port }) => port)),
  )
  const hasMainTls = hosts.some(({ directive, isTls }) => isTls && !directive)
  const hasCertificate = hosts.some(
    (host) =>
      host.isTls &&
      host.bodies.some((one) =>
        one.own.some((it) => keyOf(it) === 'sslcertificatefile' && isAbsolutePath(argOf(it))),
      ),
  )
  const found: Rule[] = []
  const add = ({ address, port }: Address, isTls: boolean) => {
    found.push({ address, port, ...(isTls && { tls: true }) })
  }
  const listening = own.filter((one) => keyOf(one) === 'listen')
  for (const directive of listening) {
    const [where = '', protocol = ''] = argsOf(directive)
    const address = /^\d{1,5}$/.test(where) ? addressOf(`*:${where}`) : addressOf(where)
    if (!address || address.port === 0) {
      const text = 'A node listens on numeric addresses with a port.'
      findings.unsupported([directive], 'listen', text)
      continue
    }
    const isTls = securePorts.has(address.port) || (hasMainTls && address.port === 443)
    if (isTls && !hasCertificate) {
      findings.unsupported([directive], 'no-certificate', NO_CERTIFICATE)
      continue
    }
    if (!isTls && (protocol === 'https' || address.port === 443)) {
      const text = 'No host has TLS here, so nothing listens at this address.'
      findings.different([directive], 'no-certificate', text)
      continue
    }
    if (/^\d+$/.test(where)) findings.different([directive], 'ipv4', IPV4)
    else findings.taken(directive)
    add(address, isTls)
  }
  if (listening.length === 0) {
    for (const { addresses, isTls } of hosts)
      for (const one of addresses)
        if (one.port > 0 && (!isTls || hasCertificate))
          add({ address: '0.0.0.0', port: one.port }, isTls)
  }
  return listenList(found)
}

const PATH_INFO = 'A file’s path with more behind it ("/index.html/x") is 404, as in Apache.'
const TYPES =
  'Types of suffixes are the node’s own, not those of /etc/mime.types: text/javascript, no application/x-trash for .bak and the like.'
const RANGES =
  'A part of an empty file is sent as the whole, and the list of a folder is always sent whole.'

/** What differs everywhere stands where the first host begins. */
function sayOfAll(tree: ApacheTree, kept: readonly Host[], findings: Findings): void {
  const hosts = kept.flatMap(({ directive }) => directive ?? [])
  const at = hosts.length > 0 ? hosts : tree.directives.slice(0, 1)
  sayOfEverySite(at, findings)
  findings.different(at, 'types-file', TYPES)
  findings.different(at, 'ranges', RANGES)
  findings.different(at, 'path-info', PATH_INFO)
}

type Files = ReturnType<typeof hostsOf>[number]['files']

function sayUnread(files: Files, kept: readonly Host[], findings: Findings): void {
  const read = new Set(kept.flatMap((host) => host.files))
  const text =
    'AllowOverride is None for its folder, so Apache does not read it, nor does the draft.'
  for (const file of files) {
    if (read.has(file)) continue
    const left = allOf(file.body).filter((one) => !findings.isSaid(one))
    findings.different(left, 'override-none', text)
  }
}

/** Of what nobody spoke for: a sentence if there is one. */
function sayRest({ directives, off }: ApacheTree, findings: Findings): void {
  for (const directive of everyDirective(directives)) {
    if (findings.isSaid(directive) || off.has(directive)) continue
    const said = saidOf(keyOf(directive))
    if (said?.verdict === 'taken') findings.taken(directive)
    else if (said?.verdict === 'different') findings.different([directive], said.code, said.text)
    else if (said) findings.unsupported([directive], said.code, said.text)
    else if (!directive.block && !SETTINGS.has(keyOf(directive)))
      findings.unsupported([directive], 'unknown', UNKNOWN)
    else if (keyOf(directive) === 'logformat') findings.taken(directive)
  }
}
