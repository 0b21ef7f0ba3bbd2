// SPDX-License-Identifier: MIT
// Where requests are sent and what stands in for files: mod_rewrite of the host, Redirect, then the same of its folders.
import type { Findings } from '../findings.ts'
import { escapeRegex, groupsIn, patternsOf } from '../regex.ts'
import { HTTPS_REDIRECT, PAGE_FOR_ALL } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import type { Host } from './hosts.ts'
import { argOf, isOn, type Layer, type Layers, type Said, UNSAYABLE } from './layers.ts'
import { keyOf } from './parser.ts'
import { AND_MORE, addRewrites, FOLDERS, MOST_RULES, type Moves, noMoves } from './rewrites.ts'

export function movesOf(host: Host, names: readonly string[], findings: Findings): Moves {
  const { layers, body } = host
  const moves = noMoves()
  const scheme = host.isTls ? 'https' : 'http'
  const shared = { findings, hosts: names, scheme, isBaseSaid: false } as const
  // Rules outside of all hosts are the server's own alone.
  const own = layers.list.filter((one) => one.kind === 'server' && one.directives === body.own)
  for (const layer of own) {
    if (isEngineOn(layer))
      addRewrites(moves, layer.directives, { ...shared, prefix: null, base: '/', except: [] })
  }
  const [outer, inner] = [[], []] as [Said[], Said[]]
  for (const said of layers.all('redirect', 'redirectmatch', 'redirectpermanent', 'redirecttemp'))
    (said.layer.kind === 'server' ? outer : inner).push(said)
  for (const said of innermostFirst(outer)) addRedirect(moves, said, host, findings)
  const lists = folderLists(layers)
  for (const layer of lists) {
    const prefix = layer.prefix ?? '/'
    const deeper = lists.filter(
      (one) =>
        one !== layer &&
        one.prefix !== null &&
        one.prefix !== prefix &&
        one.prefix.startsWith(prefix),
    )
    const base = layer.directives.findLast((one) => keyOf(one) === 'rewritebase')
    const written = argOf(base ?? null)
    if (base) findings.taken(base)
    addRewrites(moves, layer.directives, {
      ...{ ...shared, prefix },
      isBaseSaid: base !== undefined,
      base: written.startsWith('/') ? written.replace(/\/?$/, '/') : prefix,
      except: deeper.map(({ prefix: path }) => escapeRegex(path ?? '')),
    })
  }
  for (const said of innermostFirst(inner)) addRedirect(moves, said, host, findings)
  addFallbackResource(moves, layers, findings)
  sayEngines(layers, findings)
  return moves
}

/** The innermost layer first, each in the order of its text. */
const innermostFirst = (said: readonly Said[]): Said[] =>
  [...Map.groupBy(said, ({ layer }) => layer).values()].reverse().flat()

const isEngineOn = ({ directives }: Layer) =>
  isOn(directives.findLast((one) => keyOf(one) === 'rewriteengine') ?? null)

/** Of several that hold for a folder the last one's rules count; the deepest first. */
function folderLists(layers: Layers): Layer[] {
  const byPrefix = new Map<string, Layer>()
  for (const layer of layers.list) {
    const says = layer.directives.some((one) => keyOf(one) === 'rewriteengine')
    if (layer.kind === 'folder' && layer.prefix !== null && says) byPrefix.set(layer.prefix, layer)
  }
  return [...byPrefix.values()]
    .filter(isEngineOn)
    .sort((a, b) => (b.prefix ?? '').length - (a.prefix ?? '').length)
    .slice(0, 64)
}

function sayEngines(layers: Layers, findings: Findings): void {
  const off = 'RewriteEngine is not on here, so none of these rules is in force.'
  const other =
    'Rules of mod_rewrite are read for hosts and folders; for addresses and names of files they are left out.'
  for (const layer of layers.list) {
    const rules = layer.directives.filter((one) => /^rewrite(rule|cond|base)$/.test(keyOf(one)))
    const engines = layer.directives.filter((one) => /^rewrite(engine|options)$/.test(keyOf(one)))
    findings.taken(...engines)
    const left = rules.filter((one) => !findings.isSaid(one))
    if (left.length === 0) continue
    if (isEngineOn(layer) || layer.kind !== 'folder') findings.unsupported(left, 'location', other)
    else findings.different(left, 'not-active', off)
  }
}

const STATUSES: Record<string, number> = { permanent: 301, temp: 302, seeother: 303, gone: 410 }

function addRedirect(
  moves: Moves,
  { directive, layer }: Said,
  host: Host,
  findings: Findings,
): void {
  const key = keyOf(directive)
  const words = argsOf(directive)
  const hasStatus = /^(permanent|temp|seeother|gone|\d{3})$/i.test(words[0] ?? '')
  const named = words[0]?.toLowerCase() ?? ''
  const status =
    key === 'redirectpermanent'
      ? 301
      : key === 'redirecttemp'
        ? 302
        : hasStatus
          ? (STATUSES[named] ?? Number(named))
          : 302
  const rest = hasStatus ? words.slice(1) : words
  const isShort = layer.kind === 'address' && rest.length === 1 && status < 400
  const [from = '', to = ''] = isShort ? ['', rest[0] ?? ''] : rest
  const isExpression = key === 'redirectmatch'
  const regex = isShort
    ? whereOf(layer)
    : isExpression
      ? from
      : from.endsWith('/')
        ? `^${escapeRegex(from)}(.*)$`
        : `^${escapeRegex(from)}(/.*)?$`
  if (status >= 400) {
    addAnswer(moves, { directive, status, isExpression, from, findings })
    return
  }
  const target = (isExpression || isShort ? to : `${escapeTarget(to)}$1`).replaceAll(
    /\\([$&])/g,
    '$1',
  )
  if (sendsToHttps(from, to, host)) {
    moves.toHttps.push(directive)
    findings.different([directive], 'https-redirect', HTTPS_REDIRECT)
    return
  }
  const inFolder =
    layer.kind === 'folder' &&
    layer.prefix !== '/' &&
    layer.prefix !== null &&
    !from.startsWith(layer.prefix)
  const match = inFolder ? `^(?=${escapeRegex(layer.prefix ?? '')})(?s:.*?)(?:${regex})` : regex
  const groups = [...target.matchAll(/\$(\d)/g)].map(([, n]) => Number(n))
  const isGood =
    regex !== null &&
    match !== null &&
    match.length <= 1024 &&
    !/\p{Cc}/u.test(match) &&
    target.length <= 2048 &&
    /^(https?:\/\/[^/$]|\/)[!-~]*$/i.test(target) &&
    !/\$(?!\d)|%\{/.test(target) &&
    Math.max(0, ...groups) <= groupsIn(match) &&
    [301, 302, 303, 307, 308].includes(status)
  if (!isGood || moves.redirects.length >= MOST_RULES) {
    const text =
      'It needs an address to go to without variables, of at most 2048 characters, and a site has at most 256 such rules: write it by hand, or into sites[].redirectFile.'
    findings.unsupported([directive], 'redirect', text)
    return
  }
  findings.taken(directive)
  moves.redirects.push({ match, to: target, ...(status !== 301 && { status }) })
}

const escapeTarget = (text: string) => text.replaceAll('$', '$$$$')

/** null: patterns say where, and no expression. */
const whereOf = ({ prefix }: Layer): string | null =>
  prefix === null ? null : prefix === '/' ? '^' : `^${escapeRegex(prefix.slice(0, -1))}(?=/|$)`

/** All of it, to the same name. */
const sendsToHttps = (from: string, to: string, { isTls, names }: Host): boolean => {
  const name = /^https:\/\/([^/:]+)\/?$/i.exec(to)?.[1]?.toLowerCase()
  return !isTls && from === '/' && name !== undefined && names.includes(name) && names.length === 1
}

type Answer = {
  directive: Directive
  status: number
  isExpression: boolean
  from: string
  findings: Findings
}

function addAnswer(
  moves: Moves,
  { directive, status, isExpression, from, findings }: Answer,
): void {
  const isPath = from.startsWith('/') && !/[*?]|\p{Cc}/u.test(from)
  const patterns = isExpression
    ? patternsOf(from, false)
    : from === '/'
      ? ['/**']
      : isPath
        ? from.endsWith('/')
          ? [`${from}**`]
          : [from, `${from}/**`]
        : null
  if (!patterns) {
    findings.unsupported([directive], 'location', UNSAYABLE)
    return
  }
  if (status === 404) moves.tryFiles.push({ paths: patterns.slice(0, 64), candidates: ['404'] })
  else if (status === 410) moves.gone.push(...patterns)
  else moves.refused.push(...patterns)
  if (status === 404 || status === 410 || status === 403) findings.taken(directive)
  else {
    const text = `It is answered with 403 in place of ${status}.`
    findings.different([directive], 'forbidden', text)
  }
}

function addFallbackResource(moves: Moves, layers: Layers, findings: Findings): void {
  for (const { directive, layer } of layers.all('fallbackresource').toReversed()) {
    const page = argOf(directive).replace(/\?.*$/s, '')
    const paths = layer.paths ? { paths: [...layer.paths] } : {}
    if (/^disabled$/i.test(page)) {
      findings.taken(directive)
      if (layer.paths) moves.tryFiles.push({ ...paths, candidates: ['{path}', '{path}/'] })
    } else if (/^\/[^{}\p{Cc}]*[^/{}\p{Cc}]$/u.test(page) && page.length <= 1024) {
      findings.different([directive], 'page-for-all', PAGE_FOR_ALL)
      findings.different([directive], 'folder-without-index', FOLDERS)
      findings.different([directive], 'file-and-more', AND_MORE)
      moves.tryFiles.push({ ...paths, candidates: ['{path}', '{path}/', page] })
    } else findings.unsupported([directive], 'rewrite', 'It is a page of the site: name its path.')
    if (layer.paths === null) return
  }
}
