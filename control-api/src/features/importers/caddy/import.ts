// SPDX-License-Identifier: MIT
// A Caddyfile as a draft for nodes, and what became of each of its directives.
import type { DraftSite, Rule } from '../draft.ts'
import { leaveOutAll, listenList, namesWithin, sayOfEverySite, sitesWithin } from '../every-site.ts'
import { Findings } from '../findings.ts'
import { type Imported, importedOf } from '../imported.ts'
import { HOST_LEFT_OUT, HTTPS_REDIRECT, MISSING_FILE, UNKNOWN_HOST } from '../sayings.ts'
import { argsOf, type Directive, everyDirective, type Source, Unreadable } from '../tree.ts'
import { type Address, addressOf } from './addresses.ts'
import { UNKNOWN_VALUE } from './lexer.ts'
import { accessLogOf, compressionOf, type Options, optionsOf, sayKnown, tlsOf } from './node.ts'
import { parseCaddy } from './parser.ts'
import {
  type Budget,
  covers,
  MOST_PLACED,
  type Place,
  placesOf,
  stepsIn,
  TooManyPlaces,
} from './places.ts'
import { APPLICATIONS } from './said.ts'
import { siteOf } from './site.ts'

/** Hosts that matchers of one site name. */
const MOST_NAMED = 256

export function importCaddy(mainFiles: readonly string[], source: Source): Imported {
  const { directives, missing } = parseCaddy(mainFiles, source)
  const findings = new Findings()
  for (const one of everyDirective(directives)) if (one.name === 'import') findings.taken(one)
  findings.unsupported(missing, 'missing-file', MISSING_FILE)
  sayUnknownValues(directives, findings)
  const options = optionsOf(
    directives.filter(({ name }) => name === '').flatMap(({ block }) => block ?? []),
    findings,
  )
  findings.taken(...directives.filter(({ name }) => name === ''))
  const sites = directives.filter(isSite).map((one) => readSite(one, options, findings))
  const context: Context = {
    findings,
    options,
    taken: new Map(),
    listens: [],
    budget: { left: MOST_PLACED },
  }
  const drafts = draftsOf(sites, context)
  const kept = sites.filter(({ isKept }) => isKept)
  sayOfKept(kept, directives, context)
  saySnippets(directives, findings)
  const compression = compressionOf(
    kept.flatMap(({ block }) => [...everyDirective(block)]),
    findings,
  )
  if ('compression' in compression) {
    for (const { draft, site } of drafts)
      if (![...everyDirective(site.block)].some(({ name }) => name === 'encode'))
        draft.compress = []
  }
  const all = drafts
    .filter(({ draft: { hosts } }) => hosts.length > 0)
    .map(({ draft: made, site }) => ({ directive: site.directive, site: made }))
  const draft =
    all.length === 0
      ? null
      : {
          listen: listenList(context.listens),
          ...options.members,
          ...compression,
          sites: sitesWithin(all, findings),
        }
  return importedOf({ language: 'caddy', mainFiles }, draft, findings.list(directives))
}

const isSite = ({ name, block }: Directive) =>
  name !== '' && name !== 'import' && !/^&?\(/.test(name) && block !== null

type Site = {
  directive: Directive
  block: Directive[]
  addresses: Address[]
  isKept: boolean
}
type Context = {
  findings: Findings
  options: Options
  taken: Map<string, DraftSite>
  listens: Rule[]
  budget: Budget
}
type Draft = { draft: DraftSite; site: Site }

const VARIABLE =
  'What it stands for is in the environment of the old server. Write it out, or name a default: {$NAME:value}.'

function sayUnknownValues(directives: readonly Directive[], findings: Findings): void {
  for (const one of everyDirective(directives))
    if ([one.name, ...argsOf(one)].some((text) => text.includes(UNKNOWN_VALUE)))
      findings.unsupported([one], 'variable', VARIABLE)
}

function readSite(directive: Directive, { ports }: Options, findings: Findings): Site {
  const named = [directive.name, ...argsOf(directive)].map((one) => one.replace(/,$/, ''))
  const addresses = named.flatMap((text) => {
    const address = addressOf(text, ports)
    if (address) return [address]
    const why =
      'An address is a name, "*." and a name, or a port, with http:// or https:// before it and no path behind it.'
    findings.unsupported([directive], 'address', why)
    return []
  })
  const block = directive.block ?? []
  return { directive, block, addresses, isKept: false }
}

/** Those with TLS first: they are what others send clients to. */
function draftsOf(sites: readonly Site[], context: Context): Draft[] {
  const parts = sites.flatMap((site) =>
    [true, false].map((isTls) => ({
      ...{ site, isTls, addresses: site.addresses.filter((one) => one.isTls === isTls) },
    })),
  )
  const ordered = [...parts.filter((one) => one.isTls), ...parts.filter((one) => !one.isTls)]
  const found = new Map<Site, Draft[]>()
  for (const { site, addresses } of ordered) {
    if (addresses.length === 0) continue
    const groups = groupsOf(site, addresses, context.findings)
    const all = groups.flat()
    const drafts = groups.flatMap((hosts) => draftOf(site, { hosts, all, addresses, context }))
    found.set(site, [...(found.get(site) ?? []), ...drafts])
  }
  // What a snippet says in a site that is here is not left out.
  const kept = new Set(sites.filter(({ isKept }) => isKept).flatMap(placesIn))
  for (const site of sites) if (!site.isKept) sayLeftOut(site, kept, context.findings)
  return sites.flatMap((site) => found.get(site) ?? [])
}

const NO_FILES =
  'It answers no request with a file and sends nobody elsewhere, so it is not in the draft.'

const placeOf = ({ file, line, column }: Directive) => `${line}:${column}:${file}`
const placesIn = ({ block }: Site): string[] => [...everyDirective(block)].map(placeOf)

function sayLeftOut(
  { directive, block }: Site,
  kept: ReadonlySet<string>,
  findings: Findings,
): void {
  const all = [...everyDirective([directive])].filter((one) => !kept.has(placeOf(one)))
  const isProgram = [...everyDirective(block)].some(({ name }) => APPLICATIONS.has(name))
  const { code, text } = isProgram ? HOST_LEFT_OUT : { code: 'no-files', text: NO_FILES }
  findings.unsupported(all, code, text)
}

/** Hosts for which the same matchers of hosts hold. */
function groupsOf(
  { directive, block }: Site,
  addresses: readonly Address[],
  findings: Findings,
): string[][] {
  const hosts = [...new Set(addresses.map(({ host }) => host))]
  const own = namesWithin(hosts, directive, findings)
  const matchers = [...everyDirective(block)].flatMap((one) => {
    const words = one.name.startsWith('@') ? argsOf(one) : [one.name, ...argsOf(one)]
    const [first, ...rest] = words[0] === 'not' ? words.slice(1) : words
    return first === 'host' ? [rest.map((name) => name.toLowerCase())] : []
  })
  const inner = [...new Set(matchers.flat())]
    .filter((name) => !name.includes('{') && own.some((host) => host === '*' || covers(host, name)))
    .slice(0, MOST_NAMED)
  const groups = new Map<string, string[]>()
  for (const host of new Set([...own, ...inner])) {
    const key = matchers.map((names) => (names.some((one) => covers(one, host)) ? 1 : 0)).join('')
    groups.set(key, [...(groups.get(key) ?? []), host])
  }
  return [...groups.values()]
}

/** What stands in the blocks of hosts alone. */
const placedIn = (places: readonly Place[]) =>
  places.flatMap(({ directives, own }) =>
    directives.length > 0 ? [...directives, ...own.map((step) => step.directive)] : [],
  )

type Asked = {
  hosts: string[]
  /** Of the whole site. */
  all: readonly string[]
  addresses: readonly Address[]
  context: Context
}

function draftOf(site: Site, { hosts, all, addresses, context }: Asked): Draft[] {
  const { findings, options } = context
  const { directive, block } = site
  const places = placesFor(site, hosts, context.budget)
  if (stepsIn(places).some(isProgram)) {
    // All of it is said at the end, where no other host of the site is in the draft.
    if (hosts.length < all.length) leaveOutAll(placedIn(places), findings)
    return []
  }
  const isTls = addresses.some((one) => one.isTls)
  const scheme = isTls ? 'https' : 'http'
  const draft = siteOf({ findings, directive, hosts, scheme, places })
  if (!draft) return []
  site.isKept = true
  Object.assign(draft, accessLogOf(block, findings))
  const placed = place(draft, { isTls, context, directive })
  if (!placed) return []
  const name = certificateName(hosts)
  if (isTls) {
    Object.assign(draft, tlsOf(directive, block, { name, findings }))
    if (options.toHttps && hosts.some((host) => host !== '*')) {
      draft.redirectToHttps = true
      findings.different([directive], 'https-redirect', HTTPS_REDIRECT)
      listenAt(site, [{ port: options.ports.http }], context)
    }
  } else
    for (const one of block.filter((it) => it.name === 'tls'))
      findings.taken(...everyDirective([one]))
  listenAt(site, addresses, context)
  return [{ draft, site }]
}

/** A certificate's name: lower-case letters, digits, "-" and "." */
const certificateName = (hosts: readonly string[]): string =>
  (hosts.find((host) => host !== '*') ?? 'default')
    .replace('*.', 'any.')
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 64)
    .replace(/^[.-]+|[.-]+$/g, '')

const isProgram = ({ name, args, directive }: ReturnType<typeof stepsIn>[number]): boolean =>
  APPLICATIONS.has(name) ||
  ((name === 'try_files' || name === 'rewrite') && args.some((one) => /\.php\b/.test(one))) ||
  (name === 'route' && [...everyDirective([directive])].some((one) => APPLICATIONS.has(one.name)))

function placesFor({ directive, block }: Site, hosts: string[], budget: Budget): Place[] {
  try {
    return placesOf(block, hosts, budget)
  } catch (error) {
    if (!(error instanceof TooManyPlaces)) throw error
    throw new Unreadable(directive, 'its blocks come to too many places, with what holds in each')
  }
}

type Placing = { isTls: boolean; context: Context; directive: Directive }

/** A site answers alike at all addresses, so a name is of one; one without TLS that sends there is a word of it. */
function place(draft: DraftSite, { isTls, context, directive }: Placing): boolean {
  const { taken, findings } = context
  const lost: string[] = []
  draft.hosts = draft.hosts.filter((host) => {
    const other = taken.get(host)
    if (!other) {
      taken.set(host, draft)
      return true
    }
    const [only, ...more] = (draft.redirects ?? []) as Rule[]
    const isMove =
      only?.match === '^.*$' && String(only.to).startsWith('https://') && more.length === 0
    if (!isTls && isMove) {
      other.redirectToHttps = true
      findings.different([directive], 'https-redirect', HTTPS_REDIRECT)
    } else lost.push(host)
    return false
  })
  if (lost.length > 0) {
    const names = [...lost.slice(0, 5), ...(lost.length > 5 ? [`${lost.length - 5} more`] : [])]
    const text = `${names.join(', ')}: another site has this name at another address, and a site answers alike at all of them.`
    const isGone = draft.hosts.length === 0
    findings.unsupported(
      isGone ? [...everyDirective([directive])] : [directive],
      'other-port',
      text,
    )
  }
  return draft.hosts.length > 0
}

const IPV4 =
  'Caddy listens by IPv6 as well: add "::" to listen where the machine has such addresses.'

function listenAt(
  { directive, block }: Site,
  addresses: readonly { port: number; isTls?: boolean }[],
  { listens, findings }: Context,
): void {
  const binds = block.filter(({ name }) => name === 'bind')
  const named = binds.flatMap(argsOf).filter((one) => /^[0-9a-f.:]+$/i.test(one))
  if (named.length === binds.flatMap(argsOf).length) findings.taken(...binds)
  else findings.unsupported(binds, 'listen', 'A node listens on numeric addresses.')
  if (named.length === 0) findings.different([directive], 'ipv4', IPV4)
  for (const { port, isTls } of addresses)
    for (const address of named.length > 0 ? named : ['0.0.0.0'])
      listens.push({ address, port, ...(isTls && { tls: true }) })
}

const FOLDER_REDIRECT =
  'A folder without its slash is sent on with 301, not 308, also one without an index file; the path of a file with a slash behind it is 404, where Caddy takes the slash off.'
const PATH_CASE = 'Paths of rules are compared with their case; Caddy’s matchers do not look at it.'
const TYPES =
  'Types of suffixes are the node’s own list, not that of /etc/mime.types, and what has no known suffix has defaultType; Caddy names none then.'
const RANGES =
  'A part of an empty file is answered with 416, and the list of a folder is always sent whole.'
const HTTP3 = 'A node speaks HTTP/1.1 and HTTP/2, and names no other in Alt-Svc.'
const ALL = 'A site answers alike at all addresses, so this one does with TLS as well.'
const NOTHING =
  'A path for which Caddy has nothing to do is 404; Caddy says 200 with nothing in it.'

function sayOfKept(
  kept: readonly Site[],
  directives: readonly Directive[],
  context: Context,
): void {
  const { findings, taken } = context
  const at = kept.map(({ directive }) => directive)
  sayOfEverySite(at, findings)
  findings.different(at, 'folder-redirect', FOLDER_REDIRECT)
  findings.different(at, 'path-case', PATH_CASE)
  findings.different(at, 'types-file', TYPES)
  findings.different(at, 'ranges', RANGES)
  findings.different(at, 'nothing', NOTHING)
  const [first] = at.length > 0 ? at : directives
  if (!taken.has('*') && first) findings.different([first], 'unknown-host', UNKNOWN_HOST)
  const hasTls = context.listens.some(({ tls }) => tls)
  if (hasTls) findings.different(at, 'http3', HTTP3)
  const plain = kept.filter(({ addresses }) => !addresses.some(({ isTls }) => isTls))
  if (hasTls)
    findings.different(
      plain.map(({ directive }) => directive),
      'all-addresses',
      ALL,
    )
  for (const { block } of kept) {
    for (const one of everyDirective(block)) if (!findings.isSaid(one)) sayOne(one, findings)
  }
}

const HANDLED = new Set(
  `root header redir rewrite uri try_files basicauth basic_auth encode handle handle_path route error respond abort file_server
  log tls bind skip_log log_skip handle_errors import`.split(/\s+/),
)

function sayOne(directive: Directive, findings: Findings): void {
  const { name, block } = directive
  if (HANDLED.has(name) || name.startsWith('@')) return
  const isKnownLine = !/^[a-z_]+$/.test(name) || LINES.has(name)
  if (isKnownLine) return
  sayKnown(directive, findings)
  for (const one of block ?? []) if (!findings.isSaid(one)) sayKnown(one, findings)
}
/** Lines within blocks of which their directive's code speaks. */
const LINES = new Set(
  'path path_regexp host not remote_ip client_ip file try_files method protocol header header_regexp query expression close body defer browse index hide precompressed'.split(
    ' ',
  ),
)

function saySnippets(directives: readonly Directive[], findings: Findings): void {
  const used = new Set(
    [...everyDirective(directives)]
      .filter(({ name }) => name === 'import')
      .map((one) => argsOf(one)[0]),
  )
  for (const one of directives)
    if (one.name.startsWith('(') && used.has(one.name.slice(1, -1))) findings.taken(one)
}
