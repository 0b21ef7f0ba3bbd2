// SPDX-License-Identifier: MIT
// A site of what holds for its hosts.
import type { DraftSite, Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { listingPaths } from '../listing.ts'
import { FOLDER_EXISTS, HTTPS_REDIRECT, LISTING_FORM, NO_HTTPS } from '../sayings.ts'
import { boundLists } from '../site-lists.ts'
import { isAbsolutePath } from '../values.ts'
import { accessOf } from './access.ts'
import { expiresOf, headersOf } from './headers.ts'
import { isToHttps, pagesForAll, redirectsOf, rewritesOf } from './moves.ts'
import { logPath } from './node.ts'
import type { Where } from './places.ts'
import { directivesOf, isOn, pairsOf, Settings, textOf, textsOf } from './settings.ts'

export type SiteContext = {
  findings: Findings
  hosts: string[]
  /** What holds for these hosts, in the order of the text. */
  places: readonly Where[]
  anyRoot: string
  /** Something listens with TLS. */
  hasTls: boolean
}

export function siteOf(context: SiteContext): DraftSite {
  const { findings, hosts, hasTls } = context
  const toHttps = context.places.some((where) => sendsToHttps(where))
  const redirectToHttps = toHttps && hasTls
  const settings = new Settings(kept(context, toHttps))
  const root = rootOf(settings, context)
  const lists: Rule = {
    aliases: aliases(settings, findings),
    redirects: redirectsOf(settings, findings),
    rewrites: rewritesOf(settings, findings),
    tryFiles: pagesForAll(settings, findings),
    headers: [...etag(settings, findings), ...headersOf(settings, findings)],
    expires: expiresOf(settings, findings),
    ...accessOf(settings, findings),
    certificates: certificates(settings, findings),
  }
  const all = context.places.flatMap(({ block }) => directivesOf(...block.settings.values()))
  boundLists(lists, {
    tooMany: (_key, text) => findings.different(all, 'too-many', text),
    shut: (text) => findings.unsupported(all, 'too-many', text),
  })
  const comment = commentOf(context)
  return {
    ...{ comment, hosts, root },
    ...(redirectToHttps && { redirectToHttps }),
    ...indexOf(settings, findings),
    ...listing(settings, findings),
    ...single(settings, findings),
    ...errorPages(settings, root, findings),
    ...lists,
  }
}

const commentOf = ({ places }: SiteContext) => {
  const own = places.findLast(({ hosts, block }) => hosts.length > 0 && block.directives.length > 0)
  const first = own?.block.directives[0]
  return first ? `${first.file}:${first.line}` : 'What no other site has'
}

/** In a block for http, or for an address, where it is no way for those who have come by https. */
function sendsToHttps({ scheme, socket, block }: Where): boolean {
  const setting = scheme === 'http' || socket !== null ? block.settings.get('url.redirect') : null
  return setting ? isToHttps(setting) : false
}

const NO_SCHEME =
  'A site answers alike with TLS and without; redirectToHttps sends visitors to https.'

/** Blocks for one scheme are not a site's, but for the way to https and what then holds there. */
function kept({ places, findings, hasTls }: SiteContext, toHttps: boolean): Where[] {
  return places.flatMap((where) => {
    const { scheme, block } = where
    const settings = new Map(block.settings)
    const redirect = sendsToHttps(where) ? settings.get('url.redirect') : undefined
    if (redirect) {
      settings.delete('url.redirect')
      if (hasTls) findings.different(redirect.directives, 'https-redirect', HTTPS_REDIRECT)
      else findings.unsupported(redirect.directives, 'no-https', NO_HTTPS)
    }
    if (scheme === null || (scheme === 'https' && toHttps))
      return [{ ...where, block: { ...block, settings } }]
    findings.unsupported(directivesOf(...settings.values()), 'scheme', NO_SCHEME)
    return []
  })
}

const NO_FALLBACK =
  'A host without a folder of its own is 404; lighttpd takes the document root then.'

function rootOf(settings: Settings, { findings, anyRoot }: SiteContext): string {
  const plain = settings.of('server.document-root')
  const pattern = settings.of('evhost.path-pattern')
  const vhosts = settings.of('simple-vhost.server-root')
  const inner = settings.of('simple-vhost.document-root')
  const named = pattern
    ? textOf(pattern)
        .replaceAll('%%', '\0')
        .replaceAll('%_', '{host}')
        .replaceAll('%0', '{host2}.{host1}')
        .replaceAll(/%([1-9])/g, '{host$1}')
    : vhosts
      ? `${textOf(vhosts)}/{host}/${textOf(inner)}`
      : textOf(plain)
  const used = pattern ? [pattern] : vhosts ? [vhosts, inner] : [plain]
  const root = named.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/+$/, '')
  const isGood = isAbsolutePath(root) && !/[%{}]/.test(root.replaceAll(/\{host\d?\}/g, ''))
  const directives = directivesOf(...used)
  if (!isGood) {
    const text =
      'A root is an absolute path; in it {host} and {host1} to {host9} stand for the name.'
    findings.unsupported(directives, 'root', text)
  } else if (pattern || vhosts) findings.different(directives, 'no-fallback', NO_FALLBACK)
  else findings.taken(...directives)
  return isGood ? root : anyRoot
}

function indexOf(settings: Settings, findings: Findings): Rule {
  const setting = settings.of('index-file.names')
  const names = setting ? textsOf(setting) : []
  const good = names.filter((name) => /^[^/\p{Cc}]{1,255}$/u.test(name) && !/^\.{1,2}$/.test(name))
  if (good.length === names.length && names.length <= 16) findings.taken(...directivesOf(setting))
  else {
    const text = 'Index files are names in the folder, 16 at most; others are left out.'
    findings.different(directivesOf(setting), 'index', text)
  }
  // Without the setting lighttpd has none.
  return good.join(' ') === 'index.html' ? {} : { index: good.slice(0, 16) }
}

function listing(settings: Settings, findings: Findings): Rule {
  const own = settings.of('dir-listing.activate')
  const placed = settings.byPath('dir-listing.activate')
  findings.taken(...directivesOf(own, ...placed))
  if (isOn(own)) findings.different(directivesOf(own), 'listing-form', LISTING_FORM)
  const places = placed
    .map((one) => ({ paths: one.paths, isOn: isOn(one), directives: one.directives }))
    .toReversed()
  const paths = listingPaths({ isOn: isOn(own), places }, findings)
  return paths ? { directoryListing: { enabled: true, ...paths } } : {}
}

function aliases(settings: Settings, findings: Findings): Rule[] {
  const setting = settings.of('alias.url')
  if (!setting) return []
  const pairs = pairsOf(setting)
  if (pairs.length === 0) findings.taken(...setting.directives)
  const seen = new Set<string>()
  return pairs.flatMap(([from, to]) => {
    const path = from.endsWith('/') ? from : `${from}/`
    const folder = to.replace(/(?<=.)\/+$/, '')
    // No segment of dots, and none that is empty; and both with a slash at the end, or the first without.
    const isPath = /^(\/(?!\.{1,2}(\/|$))[^/\p{Cc}]+)+\/$/u.test(path) && !seen.has(path)
    if (!isPath || !isAbsolutePath(to) || (from.endsWith('/') && !to.endsWith('/'))) {
      const text =
        'An alias is a folder for paths that begin alike, with "/" at both ends, and named once. Write it into sites[].aliases.'
      findings.unsupported(setting.directives, 'folder', text)
      return []
    }
    seen.add(path)
    if (path !== from) {
      const text = `It stands for paths that begin with "${path}"; lighttpd takes all that begin with "${from}".`
      findings.different(setting.directives, 'alias-slash', text)
    }
    findings.different(setting.directives, 'folder-exists', FOLDER_EXISTS)
    return [{ path, folder }]
  })
}

function etag(settings: Settings, findings: Findings): Rule[] {
  const setting = settings.of('static-file.etags')
  findings.taken(...directivesOf(setting))
  return setting && !isOn(setting) ? [{ action: 'remove', name: 'ETag' }] : []
}

function single(settings: Settings, findings: Findings): Rule {
  const rule: Rule = {}
  const links = settings.of('server.follow-symlink')
  if (links && !isOn(links))
    findings.different(links.directives, 'links', 'A link is 404; lighttpd says 403.')
  else findings.taken(...directivesOf(links))
  if (links) rule.symlinks = isOn(links) ? 'any' : 'never'
  for (const [name, member] of [
    ['server.kbytes-per-second', 'bytesPerSecond'],
    ['connection.kbytes-per-second', 'connectionBytesPerSecond'],
  ] as const) {
    const rate = settings.of(name)
    if (!rate) continue
    if (/^\d{1,9}$/.test(textOf(rate))) {
      findings.taken(...rate.directives)
      rule[member] = Number(textOf(rate)) * 1024
    } else findings.unsupported(rate.directives, 'number', 'It is no number of kilobytes.')
  }
  const log = settings.of('accesslog.filename')
  if (log && log.where.block.parent !== null) {
    const path = logPath(log, findings)
    if (path) rule.accessLog = { path }
  }
  return rule
}

function errorPages(settings: Settings, root: string, findings: Findings): Rule {
  const pages: Rule = {}
  const prefix = settings.of('server.errorfile-prefix')
  if (prefix && root !== '/' && textOf(prefix).startsWith(`${root}/`)) {
    const path = textOf(prefix).slice(root.length)
    const text =
      'Pages for 400, 403, 404, 500 and 503 are looked for under the root; name others in errorPages.'
    findings.different(prefix.directives, 'error-files', text)
    for (const status of [400, 403, 404, 500, 503]) pages[status] = `${path}${status}.html`
  } else if (prefix) {
    const text =
      'Error pages are files under the root: put them there, and name them in errorPages.'
    findings.unsupported(prefix.directives, 'error-page', text)
  }
  const page = settings.of('server.error-handler-404')
  if (page && /^\/[^\s?#\p{Cc}]*[^\s?#/\p{Cc}]$/u.test(textOf(page))) {
    pages[404] = textOf(page)
    const text =
      'The page comes with the status 404, and refusals (403) have the node’s own; lighttpd sends this page for both, and a file as 200.'
    findings.different(page.directives, 'error-status', text)
  } else if (page && textOf(page) !== '') {
    const text = 'An error page is a file of the site: name its path.'
    findings.unsupported(page.directives, 'error-page', text)
  } else findings.taken(...directivesOf(page))
  return Object.keys(pages).length > 0 ? { errorPages: pages } : {}
}

function certificates(settings: Settings, findings: Findings): Rule[] {
  const chain = settings.of('ssl.pemfile')
  const key = settings.of('ssl.privkey')
  if (!chain) return []
  const rule = { chainFile: textOf(chain), keyFile: key ? textOf(key) : textOf(chain) }
  const directives = directivesOf(chain, key)
  if (isAbsolutePath(rule.chainFile) && isAbsolutePath(rule.keyFile)) {
    findings.taken(...directives)
    return [rule]
  }
  const text =
    'Name the certificate and its key by absolute paths, or upload them to the control plane.'
  findings.unsupported(directives, 'certificate', text)
  return []
}
