// SPDX-License-Identifier: MIT
// What a server's locations say, as the lists of rules of a site.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { listingPaths } from '../listing.ts'
import { FOLDER_EXISTS, LISTING_FORM } from '../sayings.ts'
import { boundLists } from '../site-lists.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { accessAndAuth } from './access.ts'
import { headersOf, typeRules, UNSAYABLE } from './headers.ts'
import { firstThatFits, pathsOf } from './rules.ts'
import { type Location, mayMeet, type Scope } from './scope.ts'
import type { SiteContext } from './site-context.ts'
import { tryFiles } from './try-files.ts'

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
