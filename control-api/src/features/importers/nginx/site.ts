// SPDX-License-Identifier: MIT
// What a server's locations say, as the lists of rules of a site.
import type { Rule, Value } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { listingPaths } from '../listing.ts'
import { FOLDER_EXISTS, LISTING_FORM, PAGE_FOR_ALL, PASSWORD_HASHES } from '../sayings.ts'
import { boundLists } from '../site-lists.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isAbsolutePath, isAddress } from '../values.ts'
import { headersOf, typeRules, UNSAYABLE } from './headers.ts'
import type { TypeMap } from './maps.ts'
import { firstThatFits, pathsOf } from './rules.ts'
import { type Location, type Locations, mayMeet, type Scope } from './scope.ts'
import type { Steps } from './steps.ts'

export type Zone = { directive: Directive; key: string; requests: number; perSeconds: number }
export type SiteContext = {
  findings: Findings
  server: Scope
  locations: Locations
  steps: Steps
  mapOf: (variable: string) => TypeMap | null
  zoneOf: (name: string) => Zone | null
}

export function siteRules(context: SiteContext): Rule {
  const { headers, expires } = headersOf(context)
  const lists: Rule = {
    ...indexAndLists(context),
    aliases: aliases(context),
    tryFiles: tryFiles(context),
    headers: [...etag(context), ...headers, ...typeRules(context.locations, context.findings)],
    expires,
    errorPageRules: errorPages(context).rules,
    ...accessAndAuth(context),
    hotlink: hotlink(context),
    maintenance: maintenance(context),
    requestLimits: requestLimits(context),
  }
  const site: Rule = {
    redirects: context.steps.redirects,
    rewrites: context.steps.rewrites,
    ...lists,
  }
  const pages = errorPages(context).pages
  if (Object.keys(pages).length > 0) site.errorPages = pages
  const said = context.locations.list.map(({ directive }) => directive)
  boundLists(site, {
    tooMany: (_key, text) => context.findings.different(said, 'too-many', text),
    shut: (text) => context.findings.unsupported(said, 'too-many', text),
  })
  return site
}

function indexAndLists(context: SiteContext): Rule {
  const { findings, server, locations } = context
  const { base, list } = locations
  const rule: Rule = {}
  const names = base.of('index').flatMap(argsOf)
  const good = names.filter((name) => /^[^/$]+$/.test(name)).slice(0, 16)
  if (good.length > 0 && good.join(' ') !== 'index.html') rule.index = good
  if (good.length === names.length) findings.taken(...base.of('index'))
  else
    findings.different(
      base.of('index'),
      'index',
      'Index files are names in the folder; others are left out.',
    )
  for (const { scope } of list) {
    const own = scope.own('index')
    if (own.flatMap(argsOf).join(' ') === names.join(' ')) findings.taken(...own)
    else
      findings.unsupported(
        own,
        'site-wide',
        'A site has one list of index files. Name it for the whole site, or make it a site of its own.',
      )
  }
  Object.assign(rule, listing(context))
  const links = server.of('disable_symlinks')
  if (links.length > 0) {
    const how = server.argsOf('disable_symlinks')[0]
    rule.symlinks = how === 'on' ? 'never' : how === 'if_not_owner' ? 'same-owner' : 'any'
    findings.taken(...links)
  }
  const [rate] = server.argsOf('limit_rate')
  if (rate !== undefined) Object.assign(rule, rateOf(rate, server, findings))
  for (const { scope } of list) {
    findings.unsupported(
      scope.own('limit_rate'),
      'site-wide',
      'The rate is of a whole site here (connectionBytesPerSecond).',
    )
  }
  return rule
}

function listing({ findings, locations, steps }: SiteContext): Rule {
  const { base, list } = locations
  const isOn = base.isOn('autoindex')
  const places = list
    .filter((location) => !steps.answers.has(location))
    .map(({ directive, scope, kind, text, patterns }) => {
      const own = scope.own('autoindex')
      // What begins alike is listed as a folder's path, whatever else begins so.
      const paths = kind === 'exact' && !text.endsWith('/') ? [] : patterns
      const directives = own.length > 0 ? own : [directive]
      return { paths, isOn: scope.isOn('autoindex'), directives }
    })
  findings.taken(...base.of('autoindex'), ...list.flatMap(({ scope }) => scope.own('autoindex')))
  if (isOn) findings.different(base.of('autoindex'), 'listing-form', LISTING_FORM)
  const paths = listingPaths({ isOn, places: places.toReversed() }, findings)
  return paths ? { directoryListing: { enabled: true, ...paths } } : {}
}

function etag({ server, findings }: SiteContext): Rule[] {
  findings.taken(...server.of('etag'))
  return server.argsOf('etag')[0] === 'off' ? [{ action: 'remove', name: 'ETag' }] : []
}

function rateOf(text: string, server: Scope, findings: Findings): Rule {
  const found = /^(\d{1,9})([kmg]?)$/i.exec(text)
  if (!found) {
    findings.unsupported(
      server.of('limit_rate'),
      'variable',
      'The rate is one number here (connectionBytesPerSecond).',
    )
    return {}
  }
  findings.different(
    server.of('limit_rate'),
    'rate',
    'It holds for a connection with all its requests; nginx counts each request.',
  )
  const unit = 1024 ** ['', 'k', 'm', 'g'].indexOf((found[2] ?? '').toLowerCase())
  return { connectionBytesPerSecond: Number(found[1]) * unit }
}

const ALIAS_FIRST =
  'Here it stands for all paths below it. nginx takes those that the expression of a location fits (`~* \\.(jpg|png)$`) from the root of that location.'

/** An expression of the server's that some path of the other may fit, and whose files anybody gets. */
const isAskedFirst = (one: Location, other: Location) =>
  one.kind === 'regex' &&
  !one.regex.startsWith('^(?=(?s:') &&
  !one.scope.own('access').some(({ words }) => words[0]?.text === 'all') &&
  mayMeet(one, other)

/** A root or alias of a location stands for the paths below it. */
function aliases({ findings, locations, steps }: SiteContext): Rule[] {
  const { list, base } = locations
  const usual = base.resolved(base.argsOf('root')[0] ?? '')
  return list.flatMap((location) => {
    const { scope, kind, text } = location
    const own = [...scope.own('root'), ...scope.own('alias')]
    const [directive] = own
    if (!directive) return []
    const named = scope.resolved(argsOf(directive)[0] ?? '')
    const isAlias = directive.name === 'alias'
    if (!isAlias && named.replace(/\/$/, '') === usual.replace(/\/$/, '')) {
      findings.taken(...own)
      return []
    }
    const isFolder = isAbsolutePath(named) && !named.includes('$')
    // No segment of dots, and none that is empty.
    const isPath = /^(\/(?!\.{1,2}(\/|$))[^/]+)+\/?$/.test(text)
    if (kind === 'regex' || kind === 'exact' || !isFolder || !isPath) {
      const what =
        kind === 'exact'
          ? 'Copy the file into the root, or link it there.'
          : 'Give the files a folder of their own, and name it in sites[].aliases.'
      findings.unsupported(
        own,
        'folder',
        `Another folder is taken for paths that begin alike. ${what}`,
      )
      return []
    }
    const path = text.endsWith('/') ? text : `${text}/`
    if (path !== text) {
      findings.different(
        own,
        'alias-slash',
        `It stands for paths that begin with "${path}"; nginx takes all that begin with "${text}".`,
      )
    }
    const isFirst = (other: Location) => isAskedFirst(other, location) && !steps.answers.has(other)
    if (kind === 'prefix' && list.some(isFirst)) findings.different(own, 'alias-first', ALIAS_FIRST)
    findings.different(own, 'folder-exists', FOLDER_EXISTS)
    const folder = isAlias ? named : `${named.replace(/\/$/, '')}${path}`
    return [{ path, folder: folder.length > 1 ? folder.replace(/\/$/, '') : folder }]
  })
}

const USUAL_TRY = ['{path}', '{path}/']

function tryFiles(context: SiteContext): Rule[] {
  const { findings, locations, steps } = context
  const found = firstThatFits(locations, {
    of: (scope, location) => candidatesOf(context, scope, location),
    key: (value) => value.join(' '),
    unsayable: (location) => {
      const { scope, directive } = location
      const own = [...scope.own('try_files'), ...scope.own('internal')]
      const answers = steps.answers.has(location) ? [directive, ...scope.steps] : []
      findings.unsupported([...own, ...answers], 'location', UNSAYABLE)
    },
  })
  return found.map(({ paths, value }) => ({
    ...pathsOf(paths),
    candidates: value.length > 0 ? value : USUAL_TRY,
  }))
}

function candidatesOf(context: SiteContext, scope: Scope, location: Location | null): string[] {
  const { findings, steps } = context
  const answer = steps.answers.get(location)
  if (answer && (answer.status === 404 || answer.status === 410)) {
    findings.taken(answer.directive)
    return [String(answer.status)]
  }
  if (scope.own('internal').length > 0) {
    findings.taken(...scope.own('internal'))
    return ['404']
  }
  const fallback = steps.fallbacks.get(location)
  if (fallback) {
    findings.different(fallback.directives, 'page-for-all', PAGE_FOR_ALL)
    findings.different(fallback.directives, 'folder-without-index', FOLDERS)
    return [...USUAL_TRY, fallback.path]
  }
  const [directive] = scope.of('try_files')
  if (!directive) return []
  const words = argsOf(directive).map((word) => scope.resolved(word))
  const candidates = words.map((word, i) => candidateOf(context, word, i === words.length - 1))
  if (candidates.includes(null) || candidates.length > 8) {
    const text =
      'Of these a node knows $uri, $uri/, $uri with something behind it, a file of the site, and =404, =403 or =410.'
    findings.unsupported([directive], 'try-files', text)
    return []
  }
  const known = candidates.filter((one) => one !== null)
  if (known.some((one) => one.startsWith('/')))
    findings.different([directive], 'page-for-all', PAGE_FOR_ALL)
  else if (known.some((one) => /^\{path\}./.test(one) && one !== '{path}/')) {
    findings.different(
      [directive],
      'slash-and-suffix',
      'A slash at the end of the path is taken off before something is put behind it.',
    )
  } else findings.taken(directive)
  if (known.join() === '{path},{path}/,404') return []
  if (known.includes('{path}/')) findings.different([directive], 'folder-without-index', FOLDERS)
  return known
}

const FOLDERS =
  'A folder without an index file or a list is passed over, and what comes next is tried.'
function candidateOf({ locations }: SiteContext, word: string, isLast: boolean): string | null {
  const code = /^=(404|403|410)$/.exec(word)?.[1]
  if (code) return isLast ? code : null
  if (word.startsWith('@')) return isLast ? namedCandidate(locations, word) : null
  const text = word.replace(/\?.*$/s, '').replace(/^\$\{?uri\}?/, '{path}')
  if (text.includes('$')) return null
  if (/^\{path\}[^{}]*$/.test(text)) return text
  return /^\/[^{}]*[^/{}]$/.test(text) ? text : null
}

/** A place of its own that does no more than name a file or a status. */
function namedCandidate({ named }: Locations, name: string): string | null {
  const steps = named.get(name)?.steps ?? []
  const [only] = steps
  if (!only || steps.length > 1) return null
  const [first = '', second = ''] = argsOf(only)
  if (only.name === 'return') return ['404', '403', '410'].includes(first) && !second ? first : null
  const path = second.replace(/\?.*$/s, '')
  return only.name === 'rewrite' &&
    /^\^?(\(?\.[*+]\)?)?\$?$/.test(first) &&
    /^\/[^${}]*[^/${}]$/.test(path)
    ? path
    : null
}

function errorPages({ findings, locations }: SiteContext): { pages: Rule; rules: Rule[] } {
  const of = (scope: Scope): Rule =>
    Object.assign({}, ...scope.of('error_page').map((one) => pagesOf(one, findings)))
  const found = firstThatFits(locations, {
    of,
    key: (value) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value)),
    unsayable: ({ scope }) => findings.unsupported(scope.own('error_page'), 'location', UNSAYABLE),
  })
  const own = found.filter(
    ({ location, value }) => location !== null && Object.keys(value).length > 0,
  )
  return {
    pages: of(locations.base),
    rules: own.map(({ paths, value }) => ({ paths, pages: value })),
  }
}

function pagesOf(directive: Directive, findings: Findings): Rule {
  const words = argsOf(directive)
  const page = words.at(-1) ?? ''
  const codes = words.slice(0, -1)
  if (codes.some((code) => code.startsWith('='))) {
    findings.unsupported(
      [directive],
      'error-status',
      'An error page keeps its error’s status. For a page in place of what is missing use sites[].tryFiles.',
    )
    return {}
  }
  if (!/^\/[^$\s]+$/.test(page) || /[?#]/.test(page)) {
    findings.unsupported(
      [directive],
      'error-page',
      'An error page is a file of the site: name its path.',
    )
    return {}
  }
  const good = codes.filter((code) => /^[45]\d\d$/.test(code))
  if (good.length < codes.length) {
    findings.different(
      [directive],
      'error-codes',
      'Codes that are no HTTP status of an error (nginx’s own 49x) are left out.',
    )
  } else findings.taken(directive)
  return Object.fromEntries(good.map((code) => [code, page]))
}

type Entry = { action: 'allow' | 'deny'; address: string | null }
type Access = { entries: Entry[]; isAny: boolean; realm: string | null; file: string }

function accessAndAuth(context: SiteContext): Rule {
  const { findings, locations } = context
  const of = (scope: Scope, location: Location | null) => accessOf(context, scope, location)
  const unsayable = ({ scope, directive }: Location) => {
    const own = ['access', 'auth_basic', 'auth_basic_user_file', 'satisfy'].flatMap((key) =>
      scope.own(key),
    )
    findings.unsupported([directive, ...own, ...scope.steps], 'location', UNSAYABLE)
  }
  const signIns = firstThatFits(locations, {
    of,
    key: ({ realm, file }) => (realm === null ? '' : `${file} ${realm}`),
    unsayable,
  })
  // Where nobody is asked for a password, though around it they are: every address is allowed, and one of both is enough.
  const open = new Set(
    signIns.flatMap(({ location, value }) => (value.realm === null ? [location] : [])),
  )
  const access = firstThatFits(locations, {
    of: (scope, location): Entry[] => {
      const { entries } = of(scope, location)
      return entries.length === 0 && open.has(location)
        ? [{ action: 'allow', address: null }]
        : entries
    },
    key: (entries) => (entries.length === 0 ? '' : JSON.stringify(entries)),
    unsayable,
  })
  const around = signIns.find(({ value }) => value.realm !== null)?.value
  const auth = signIns.map(({ paths, value }) => {
    const { realm, file } =
      value.realm === null ? { realm: around?.realm ?? '', file: around?.file ?? '' } : value
    return {
      ...pathsOf(paths),
      realm,
      file,
      ...((value.realm === null || value.isAny) && { satisfy: 'any' }),
    }
  })
  return { access: access.flatMap(({ paths, value }) => entryRules(paths, value)), auth }
}

function entryRules(paths: readonly string[], entries: readonly Entry[]): Rule[] {
  const rules: Rule[] = []
  for (const { action, address } of entries) {
    const last = rules.at(-1)
    const addresses = last?.addresses as Value[] | undefined
    if (address && last?.action === action && addresses) addresses.push(address)
    else rules.push({ action, ...pathsOf(paths), ...(address && { addresses: [address] }) })
  }
  const isClosed = entries.at(-1)?.address === null
  return isClosed || paths.length === 0 ? rules : [...rules, { action: 'allow', paths }]
}

const DENIED = new Set([400, 401, 402, 403, 405, 406, 418, 429, 444, 451])

function accessOf(
  { findings, steps }: SiteContext,
  scope: Scope,
  location: Location | null,
): Access {
  const [realm = 'off'] = scope.argsOf('auth_basic')
  const file = scope.argsOf('auth_basic_user_file')[0] ?? ''
  const isAny = scope.argsOf('satisfy')[0] === 'any'
  findings.taken(...scope.of('satisfy'))
  const asks =
    realm !== 'off' && isAbsolutePath(file) && !/["\\]/.test(realm) && realm.length <= 128
  const signIn = [...scope.of('auth_basic'), ...scope.of('auth_basic_user_file')]
  if (realm === 'off') findings.taken(...signIn)
  else if (asks) findings.different(signIn, 'password-hashes', PASSWORD_HASHES)
  else
    findings.unsupported(
      signIn,
      'auth',
      'It needs the absolute path of a file of users, and a plain text as realm.',
    )
  const answer = steps.answers.get(location)
  const entries = scope.of('access').flatMap((directive) => entryOf(directive, findings))
  if (answer && DENIED.has(answer.status)) {
    if (answer.status === 403) findings.taken(answer.directive)
    else
      findings.different(
        [answer.directive],
        'forbidden',
        `It is answered with 403 in place of ${answer.status}.`,
      )
    entries.splice(0, entries.length, { action: 'deny', address: null })
  }
  return { entries, isAny, realm: asks ? realm || 'Sign in' : null, file }
}

function entryOf(directive: Directive, findings: Findings): Entry[] {
  const [text = ''] = argsOf(directive)
  const action = directive.name as Entry['action']
  if (text !== 'all' && !isAddress(text)) {
    findings.unsupported([directive], 'address', 'It is no address and no block of them.')
    return []
  }
  findings.taken(directive)
  return [{ action, address: text === 'all' ? null : text }]
}

function hotlink({ findings, steps, locations }: SiteContext): Rule[] {
  return [...steps.hotlink].flatMap(([location, directives]) => {
    const scope = location?.scope ?? locations.base
    const said = scope.of('valid_referers')
    const words = said.flatMap(argsOf)
    const hosts = words
      .map((word) => word.replace(/\/.*$/s, ''))
      .filter((word) => /^(\*\.)?[a-z0-9.-]+$/i.test(word) && word.includes('.'))
    if (location?.patterns === null) {
      findings.unsupported([...said, ...directives], 'location', UNSAYABLE)
      return []
    }
    findings.different(
      [...said, ...directives],
      'hotlink',
      'The site’s own pages are always welcome; expressions and paths of referrers are left out.',
    )
    return [
      {
        ...pathsOf(location?.patterns ?? []),
        hosts,
        ...(!words.includes('none') && { allowEmpty: false }),
      },
    ]
  })
}

function maintenance({ findings, locations, steps }: SiteContext): Rule[] {
  const found = firstThatFits(locations, {
    of: (_, location) => {
      const { status = 0, directive } = steps.answers.get(location) ?? {}
      if (!directive || (status < 500 && (status !== 410 || location !== null))) return ''
      if (status === 503 || status === 410) findings.taken(directive)
      else {
        const text = `It is answered with 503 and Retry-After in place of ${status}.`
        findings.different([directive], 'unavailable', text)
      }
      return status === 410 ? 'gone' : 'unavailable'
    },
    key: (answer) => answer,
    unsayable: ({ directive, scope }) =>
      findings.unsupported([directive, ...scope.steps], 'location', UNSAYABLE),
  })
  return found.map(({ paths, value }) => ({
    ...(value !== 'unavailable' && { answer: value || 'open' }),
    ...pathsOf(paths),
  }))
}

function requestLimits({ findings, locations, zoneOf }: SiteContext): Rule[] {
  const of = (scope: Scope): Rule | null => {
    const [directive, ...others] = scope.of('limit_req')
    if (!directive) return null
    const words = argsOf(directive)
    const zone = zoneOf(words.find((word) => word.startsWith('zone='))?.slice(5) ?? '')
    if (!zone || !/^\$(binary_)?remote_addr$/.test(zone.key)) {
      findings.unsupported(
        [...scope.of('limit_req'), ...(zone ? [zone.directive] : [])],
        'limit',
        'A node counts requests by the client’s address alone.',
      )
      return null
    }
    findings.unsupported(
      others,
      'limit',
      'One limit holds for a path here: the first that is written.',
    )
    const text = 'What is over the limit is answered with 429 at once; nothing is held back.'
    findings.different([directive, zone.directive], 'limit-answers', text)
    const burst = Number(words.find((word) => word.startsWith('burst='))?.slice(6) ?? 0)
    return { requests: zone.requests, perSeconds: zone.perSeconds, burst: burst + 1 }
  }
  const found = firstThatFits(locations, {
    of,
    key: (value) => (value ? JSON.stringify(value) : ''),
    unsayable: ({ scope }) => findings.unsupported(scope.own('limit_req'), 'location', UNSAYABLE),
  })
  return found.map(({ paths, value }) => ({
    ...pathsOf(paths),
    ...(value ?? { requests: 100_000, burst: 100_000 }),
  }))
}
