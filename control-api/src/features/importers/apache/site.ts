// SPDX-License-Identifier: MIT
// A host as a site, and one more for names of it that lead elsewhere.
import type { DraftSite, Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { listingPaths } from '../listing.ts'
import { FOLDER_EXISTS, LISTING_FORM } from '../sayings.ts'
import { boundLists } from '../site-lists.ts'
import { argsOf, type Directive } from '../tree.ts'
import { accessOf, inParts } from './access.ts'
import { certificates, clientCertificates } from './certificates.ts'
import { headersOf } from './headers.ts'
import type { Host } from './hosts.ts'
import { argOf, isOn, type Layers, type Said } from './layers.ts'
import { logMember } from './logs.ts'
import { movesOf } from './moves.ts'
import { keyOf } from './parser.ts'
import type { Body } from './sections.ts'

export type SiteContext = {
  findings: Findings
  main: Body
  hasCompression: boolean
  /** Something listens with TLS. */
  hasTls: boolean
}
export type Site = { site: DraftSite | null; others: DraftSite[]; isToHttps: boolean }

const NO_HTTPS =
  'Nobody is sent to https, as nothing listens with TLS: let what ends TLS in front of the nodes do it.'

export function siteOf(host: Host, names: readonly string[], context: SiteContext): Site {
  const { findings, hasTls } = context
  const { layers, root, directive, files } = host
  const moves = movesOf(host, names, findings)
  const { headers, expires, hsts } = headersOf(layers, findings)
  const { access, auth } = accessOf(layers, findings)
  const refused = inParts(moves.refused, 64).map((paths): Rule => ({ action: 'deny', paths }))
  const lists: Rule = {
    aliases: aliases(host, findings),
    redirects: moves.redirects,
    rewrites: moves.rewrites,
    tryFiles: moves.tryFiles,
    headers,
    expires,
    access: [...refused, ...access],
    auth,
    hotlink: moves.hotlink,
    maintenance: inParts(moves.gone, 64).map((paths): Rule => ({ answer: 'gone', paths })),
    certificates: certificates(host, findings),
  }
  const pages = errorPages(layers, findings)
  if (pages.rules.length > 0) lists.errorPageRules = pages.rules
  boundLists(lists, {
    tooMany: (key, text) => sayTooMany(host, key, text, findings),
    shut: (text) => findings.unsupported(shutting(host), 'too-many', text),
  })
  const isToHttps = moves.toHttps.length > 0
  if (isToHttps && !hasTls) findings.unsupported(moves.toHttps, 'no-https', NO_HTTPS)
  const first = directive ?? files[0]?.body.own[0] ?? host.body.own[0]
  const comment = first ? `${first.file}:${first.line}` : 'All names'
  const moved = new Set(moves.hostRedirects.flatMap((one) => one.hosts))
  const hosts = names.filter((one) => !moved.has(one))
  const shared = {
    ...(isToHttps && hasTls && { redirectToHttps: true }),
    ...(hsts && hasTls && { hsts }),
  }
  const log = directive
    ? logMember(host.body.own, [...context.main.own, ...host.body.own], findings)
    : null
  const site = {
    ...{ comment, hosts, root, ...shared },
    ...indexOf(layers, findings),
    ...optionsOf(host, findings),
    ...single(host, context),
    ...(Object.keys(pages.all).length > 0 && { errorPages: pages.all }),
    ...lists,
    ...(log && { accessLog: log }),
  } as DraftSite
  const others = moves.hostRedirects.map(({ hosts: sent, to, status }) => {
    const redirects = [{ match: '^.*$', to, ...(status !== 301 && { status }) }]
    const chains = lists.certificates ? { certificates: lists.certificates } : {}
    return {
      comment,
      hosts: [...new Set(sent)],
      root,
      ...shared,
      ...chains,
      redirects,
    } as DraftSite
  })
  return { site: hosts.length > 0 ? site : null, others, isToHttps }
}

const shutting = ({ layers }: Host): Directive[] =>
  layers.list.flatMap(({ directives }) =>
    directives.filter((one) => /^(require|order|allow|deny|satisfy)$/.test(keyOf(one))),
  )

function sayTooMany({ layers }: Host, key: string, text: string, findings: Findings): void {
  const keys: Record<string, RegExp> = {
    ...{ headers: /^header$/, expires: /^expires/ },
    ...{
      aliases: /^alias$/,
      tryFiles: /^(redirect|rewriterule|fallback)/,
    },
  }
  for (const layer of layers.list) {
    const said = layer.directives.filter((one) => (keys[key] ?? /^rewriterule$/).test(keyOf(one)))
    findings.different(said, 'too-many', text)
  }
}

const SHARES =
  'What is said for the root’s folder (headers, times, passwords) holds for these paths as well.'

function aliases({ aliases: all, layers, root }: Host, findings: Findings): Rule[] {
  const isSaid = layers.list.some(
    ({ kind, paths, directives }) =>
      kind === 'folder' &&
      paths === null &&
      directives.some((one) => /^(header|expires|require|order|auth)/.test(keyOf(one))),
  )
  return all.map(({ directive, path, folder }) => {
    findings.different([directive], 'folder-exists', FOLDER_EXISTS)
    if (isSaid && !folder.startsWith(`${root}/`))
      findings.different([directive], 'alias-shares', SHARES)
    return { path, folder }
  })
}

const PROGRAM = /\.(php\d?|phtml|cgi|pl|py|rb|jsp|aspx?|shtml)$/i

function indexOf(layers: Layers, findings: Findings): Rule {
  const said = layers.last('directoryindex')
  const names = said ? argsOf(said) : ['index.html']
  const isDisabled = /^disabled$/i.test(names[0] ?? '')
  const good = isDisabled
    ? []
    : names.filter((name) => /^[^/\p{Cc}]{1,255}$/u.test(name) && !/^\.{1,2}$/.test(name))
  const kept = good.filter((name) => !PROGRAM.test(name)).slice(0, 16)
  if (said && kept.length < names.length && !isDisabled) {
    const text =
      'Index files are names in the folder, 16 at most, and no programs; others are left out.'
    findings.different([said], 'index', text)
  } else if (said) findings.taken(said)
  for (const { directive, layer } of layers.all('directoryindex')) {
    if (layer.paths === null) continue
    if (argsOf(directive).join(' ') === names.join(' ')) findings.taken(directive)
    else {
      const text =
        'A site has one list of index files. Name it for the whole site, or make it a site of its own.'
      findings.unsupported([directive], 'site-wide', text)
    }
  }
  return kept.join(' ') === 'index.html' ? {} : { index: kept }
}

/** What Options comes to: a list without signs is all there is, with them it changes what is around it. */
function optionsIn(before: ReadonlySet<string>, words: readonly string[]): Set<string> {
  const isChange = words.every((one) => /^[+-]/.test(one))
  const options = new Set(isChange ? before : [])
  for (const word of words) {
    const name = word.replace(/^[+-]/, '').toLowerCase()
    if (name === 'none') options.clear()
    else if (name === 'all')
      for (const one of ['indexes', 'followsymlinks', 'includes', 'execcgi']) options.add(one)
    else if (word.startsWith('-')) options.delete(name)
    else options.add(name)
  }
  return options
}

const FOLLOWS_LINKS: ReadonlySet<string> = new Set(['followsymlinks'])

/** What holds in a layer once it has said this: what it adds and takes away is of what holds around it. */
function optionsAt({ directive, layer }: Said, layers: Layers): ReadonlySet<string> {
  const around = layers.allFor('options', layer)
  const until = around.findIndex((one) => one.directive === directive)
  return around
    .slice(0, until + 1)
    .reduce((options, one) => optionsIn(options, argsOf(one.directive)), FOLLOWS_LINKS)
}

function optionsOf({ layers }: Host, findings: Findings): Rule {
  const said = layers.all('options').map((one) => ({ ...one, options: optionsAt(one, layers) }))
  for (const { directive, layer, options } of said) {
    findings.taken(directive)
    sayOptions(directive, options, findings)
    if (layer.paths === null && options.has('indexes'))
      findings.different([directive], 'listing-form', LISTING_FORM)
  }
  const base = said.findLast(({ layer }) => layer.paths === null)?.options
  const places = said.flatMap(({ directive, layer: { paths }, options }) =>
    paths === null ? [] : [{ paths, isOn: options.has('indexes'), directives: [directive] }],
  )
  const isOn = base?.has('indexes') ?? false
  const paths = listingPaths({ isOn, places }, findings)
  const rule: Rule = {}
  if (base?.has('followsymlinks')) rule.symlinks = 'any'
  else if (base?.has('symlinksifownermatch')) rule.symlinks = 'same-owner'
  else if (base) rule.symlinks = 'never'
  const named = texts(layers, findings)
  if (paths) rule.directoryListing = { enabled: true, ...paths, ...named }
  return rule
}

function sayOptions(directive: Directive, options: ReadonlySet<string>, findings: Findings): void {
  if (options.has('multiviews')) {
    const text =
      'A name without its suffix is 404: say in sites[].tryFiles what is looked for ("{path}.html"). No file is chosen by language.'
    findings.unsupported([directive], 'multiviews', text)
  }
  if (options.has('includes') || options.has('includesnoexec')) {
    const text = 'A node sends files as they are. Make what SSI puts in when the files are built.'
    findings.unsupported([directive], 'changed-content', text)
  }
  if (options.has('followsymlinks') || options.has('symlinksifownermatch')) return
  findings.different([directive], 'links', 'A link is 404; Apache says 403.')
}

function texts(layers: Layers, findings: Findings): Rule {
  const rule: Rule = {}
  for (const [key, member] of [
    ['headername', 'header'],
    ['readmename', 'readme'],
  ] as const) {
    const directive = layers.last(key)
    for (const one of layers.all(key)) {
      const text = 'These texts are a whole site’s here, and names of files in the folder.'
      if (one.directive === directive) findings.taken(one.directive)
      else findings.different([one.directive], 'listing-texts', text)
    }
    const name = argOf(directive)
    if (directive && /^[^/\p{Cc}]{1,255}$/u.test(name)) rule[member] = [name]
  }
  return rule
}

function single(host: Host, { findings, hasCompression }: SiteContext): Rule {
  const { layers, body } = host
  const rule: Rule = {}
  const compresses = layers.all('addoutputfilterbytype', 'setoutputfilter')
  if (hasCompression && compresses.length === 0) rule.compress = []
  const slash = layers.last('directoryslash')
  for (const { directive } of layers.all('directoryslash')) {
    const text = 'A site has one rule for slashes: sites[].trailingSlash.'
    if (directive === slash) findings.taken(directive)
    else findings.unsupported([directive], 'site-wide', text)
  }
  if (slash && !isOn(slash)) rule.trailingSlash = 'keep'
  const users = userDirs(host, findings)
  if (users) rule.userDirs = users
  for (const { directive } of layers.all('addencoding')) {
    const isUsual = argsOf(directive)
      .slice(1)
      .every((one) => /^\.?(gz|br|zst|svgz)$/i.test(one))
    const text =
      'Files that are stored compressed, and wanted as what is in them, are named in sites[].storedCodings.'
    if (isUsual) findings.different([directive], 'copies', COPIES_BESIDE)
    else findings.unsupported([directive], 'stored-codings', text)
  }
  for (const { directive } of layers.all('sethandler', 'addhandler')) {
    const name = argOf(directive)
    if (/^(none|default-handler)$/i.test(name)) findings.taken(directive)
    else if (/^server-(status|info)$|^balancer-manager$/i.test(name)) {
      const text =
        'A node has a status page and /metrics at an address of its own: see `admin` in the configuration.'
      findings.unsupported([directive], 'no-status-page', text)
    } else if (!findings.isSaid(directive)) {
      const text =
        'A node sends files as they are; no program and no map of types stands before them.'
      findings.unsupported([directive], 'handler', text)
    }
  }
  for (const { directive } of layers.all('defaulttype')) {
    const text = 'A file without a known suffix has defaultType, which is of the whole node.'
    findings.different([directive], 'node-wide', text)
  }
  const clients = clientCertificates(host, findings)
  if (clients) rule.clientCertificates = clients
  findings.taken(...body.own.filter((one) => /^sslengine$/.test(keyOf(one))))
  for (const key of ['allowoverride', 'allowoverridelist', 'authmerging', 'sslengine'])
    findings.taken(...layers.all(key).map((one) => one.directive))
  return rule
}

const COPIES_BESIDE =
  'A compressed copy beside a file is sent in its place to who takes it; asked for by its own name it is a file as others.'

function userDirs(host: Host, findings: Findings): Rule | null {
  const said = host.bodies.flatMap(({ own }) => own.filter((one) => keyOf(one) === 'userdir'))
  let [folder, users, excluded]: [string, string[], string[]] = ['', [], []]
  for (const directive of said) {
    const [first = '', ...names] = argsOf(directive)
    const good = names.filter((one) => /^[a-z0-9_-]{1,32}$/.test(one)).slice(0, 1023)
    findings.taken(directive)
    if (/^disabled$/i.test(first)) {
      if (names.length === 0) folder = ''
      else excluded = ['root', ...good.filter((one) => one !== 'root')]
    } else if (/^enabled$/i.test(first)) users = good
    else if (isHomeFolder(first)) folder = first
    else {
      const text = 'It is a folder in a user’s home: see sites[].userDirs.'
      findings.unsupported([directive], 'user-folders', text)
    }
  }
  if (folder === '') return null
  return { folder, ...(users.length > 0 && { users }), ...(excluded.length > 0 && { excluded }) }
}

const isHomeFolder = (text: string) =>
  /^[^/{}\p{Cc}][^{}\p{Cc}]{0,253}$/u.test(text) && !text.endsWith('/') && !text.includes('..')

function errorPages(layers: Layers, findings: Findings): { all: Rule; rules: Rule[] } {
  const all: Rule = {}
  const rules: Rule[] = []
  for (const { directive, layer } of layers.all('errordocument')) {
    const [status = '', page = ''] = argsOf(directive)
    const path = page.replace(/[?#].*$/s, '')
    if (
      !/^[45]\d\d$/.test(status) ||
      !/^\/[^\s\p{Cc}]{1,1000}$/u.test(path) ||
      path.endsWith('/')
    ) {
      if (/^default$/i.test(page)) findings.taken(directive)
      else {
        const text =
          'An error page is a file of the site: put the text into one and name its path, or that of a page that leads elsewhere.'
        findings.unsupported([directive], 'error-page', text)
      }
      continue
    }
    findings.different([directive], 'error-page-headers', PAGE_HEADERS)
    if (layer.paths === null) all[status] = path
    else rules.unshift({ paths: [...layer.paths], pages: { [status]: path } })
  }
  return { all: Object.fromEntries(Object.entries(all).slice(0, 64)), rules }
}

const PAGE_HEADERS =
  'Headers that are not said for all answers ("always") are not in it; Apache has those of the page.'
