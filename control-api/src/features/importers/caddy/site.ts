// SPDX-License-Identifier: MIT
// A site of the places that its directives make, for some of its hosts.
import type { DraftSite, Rule } from '../draft.ts'
import { ANY_ROOT } from '../every-site.ts'
import type { Findings } from '../findings.ts'
import { listingPaths } from '../listing.ts'
import { FOLDER_EXISTS } from '../sayings.ts'
import { boundLists } from '../site-lists.ts'
import { argsOf, type Directive } from '../tree.ts'
import { isAbsolutePath } from '../values.ts'
import { accessOf, authOf, statusOf } from './access.ts'
import { errorPagesOf } from './errors.ts'
import { headersOf } from './headers.ts'
import { directivesOf, pathsOf, sayUnsayable, UNSAYABLE } from './lists.ts'
import { redirectsOf, rewritesOf, tryFilesOf } from './moves.ts'
import { isForAll, isIdle, isOddMatch, type Place, type Step, stepsIn } from './places.ts'

export type SiteParts = {
  findings: Findings
  directive: Directive
  hosts: string[]
  scheme: string
  places: readonly Place[]
}

/** null: it answers with no file and sends nobody elsewhere. */
export function siteOf(parts: SiteParts): DraftSite | null {
  const { findings, directive, hosts, places, scheme } = parts
  const steps = stepsIn(places)
  sayPlaces(places, findings)
  const isServed = steps.some(({ name }) => name === 'file_server')
  const redirects = redirectsOf(steps, scheme, findings)
  if (!isServed && redirects.length === 0) return null
  const root = rootOf(parts, isServed)
  const name = (hosts.find((host) => host !== '*') ?? 'site').replace('*.', 'any.')
  const signIns = authOf(steps, `/etc/farmstead/${name}.htpasswd`, findings)
  const lists: Rule = {
    aliases: aliases(places, root, findings),
    redirects,
    rewrites: [...closedByRegex(steps, findings), ...rewritesOf(steps, findings)],
    tryFiles: unlessUsual(tryFilesOf(places, findings)),
    headers: headersOf(places, findings),
    access: [...signIns.closed, ...accessOf(places, { steps, root, findings })],
    auth: signIns.auth,
    maintenance: maintenance(steps, findings),
  }
  boundLists(lists, {
    tooMany: (_key, text) => findings.different([directive], 'too-many', text),
    shut: (text) => findings.unsupported([directive], 'too-many', text),
  })
  const comment = `${directive.file}:${directive.line}`
  sayRest(steps, findings)
  return {
    ...{ comment, hosts: [...hosts], root },
    ...(isServed && filesMembers(steps, findings)),
    ...errorPagesOf(directive.block ?? [], findings),
    ...lists,
  }
}

/** What a node looks for without a rule needs none. */
const unlessUsual = (rules: readonly Rule[]): readonly Rule[] =>
  rules.length === 1 && JSON.stringify(rules[0]) === '{"candidates":["{path}","{path}/"]}'
    ? []
    : rules

function sayPlaces(places: readonly Place[], findings: Findings): void {
  for (const { why, directives, own } of places) {
    if (why === null) findings.taken(...directives)
    else findings.unsupported([...directives, ...own.flatMap(directivesOf)], 'matcher', UNSAYABLE)
  }
}

const NO_ROOT =
  'Without a root Caddy serves the folder in which it was started. Name it in sites[].root.'
const ROOT = 'A root is an absolute path; the only placeholder in it is {host}.'

const rootText = (text: string) =>
  text
    .replaceAll(/\{(http\.request\.)?host\}/g, '{host}')
    .replaceAll(/\{(http\.request\.host\.)?labels\.(\d)\}/g, (_, __, n) => `{host${Number(n) + 1}}`)
    .replaceAll(/\/{2,}/g, '/')
    .replace(/(?<=.)\/+$/, '')

/** null: it is no folder that a node could have. */
function folderOf(text: string): string | null {
  const folder = rootText(text)
  const isGood = isAbsolutePath(folder) && !/[{}\ue000]/.test(folder.replaceAll(/\{host\d?\}/g, ''))
  return isGood ? folder : null
}

/** Of `root`, or of a file_server that names its own. */
function rootsIn(steps: readonly Step[]): { step: Step; line: Directive; text: string }[] {
  return steps.flatMap((step) => {
    if (step.name === 'root') return [{ step, line: step.directive, text: step.args[0] ?? '' }]
    const lines = step.name === 'file_server' ? (step.directive.block ?? []) : []
    return lines
      .filter(({ name }) => name === 'root')
      .map((line) => ({ step, line, text: argsOf(line)[0] ?? '' }))
  })
}

function rootOf({ places, findings, directive }: SiteParts, isServed: boolean): string {
  const base = places.findLast(({ paths }) => paths === null) ?? places.at(-1)
  const all = rootsIn([...(base?.own ?? []), ...(base?.outer ?? [])])
  const found = all.find(({ step }) => isForAll(step)) ?? null
  if (!found) {
    if (isServed && rootsIn(stepsIn(places)).length === 0)
      findings.unsupported([directive], 'root', NO_ROOT)
    return ANY_ROOT
  }
  const folder = folderOf(found.text)
  if (folder === null) findings.unsupported([found.line], 'root', ROOT)
  else findings.taken(found.line, ...directivesOf(found.step))
  return folder ?? ANY_ROOT
}

const ALIAS =
  'Another folder is taken for paths that begin alike: give the files a folder of their own, and name it in sites[].aliases.'

/** A root for some paths, and the folder of what `handle_path` takes a prefix off. */
function aliases(places: readonly Place[], base: string, findings: Findings): Rule[] {
  const rules = new Map<string, string>()
  const add = (path: string, folder: string | null, said: readonly Directive[]) => {
    const isPath = /^(\/(?!\.{1,2}(\/|$))[^/*?]+)+\/$/.test(path)
    const isFolder = folder !== null && !folder.includes('{')
    if (!isPath || !isFolder) findings.unsupported(said, 'folder', ALIAS)
    else {
      findings.different(said, 'folder-exists', FOLDER_EXISTS)
      if (!rules.has(path)) rules.set(path, folder)
    }
  }
  for (const step of stepsIn(places)) {
    const paths = pathsOf(step)
    const isOwn = step.within.prefix === '' && (step.within.paths !== null || !isForAll(step))
    for (const { line, text } of isOwn ? rootsIn([step]) : []) {
      const folder = folderOf(text)
      if (!paths || isOddMatch(step.match)) sayUnsayable(step, findings, 'folder')
      else if (folder === base) findings.taken(line, ...directivesOf(step))
      else
        for (const pattern of paths) {
          const path = pattern.replace(/\/?\*\*$/, '/')
          const below =
            folder === null ? null : `${folder === '/' ? '' : folder}${path.slice(0, -1)}`
          add(path, pattern.endsWith('**') ? below : null, [line])
        }
    }
  }
  for (const { prefix, own, outer, directives, why } of places) {
    if (prefix === '' || why !== null) continue
    const named = rootsIn([...own, ...outer.toReversed()]).find(({ step }) => isForAll(step))
    const folder = named ? folderOf(named.text) : base
    const said = named && named.step.within.prefix !== '' ? [named.line] : directives
    add(`${prefix}/`, folder, said)
  }
  return [...rules].map(([path, folder]) => ({ path, folder }))
}

/** Refusals whose paths only an expression says: what it finds is led to a name that no visitor gets. */
function closedByRegex(steps: readonly Step[], findings: Findings): Rule[] {
  return steps.flatMap((step) => {
    const { match, within } = step
    const status = statusOf(step)
    const isClosed = status !== null && status >= 400
    if (!isClosed || !match.regex || match.paths !== null || within.prefix !== '') return []
    if (isOddMatch({ ...match, regex: null }) || match.regex.text.length > 1024) return []
    const text = 'It is answered with 404: the rewrite leads to a name that is not served.'
    findings.different(directivesOf(step), 'forbidden', text)
    return [{ match: match.regex.text, to: '/.closed' }]
  })
}

function maintenance(steps: readonly Step[], findings: Findings): Rule[] {
  return steps.flatMap((step) => {
    const { match } = step
    if (statusOf(step) !== 503 || isIdle(step)) return []
    const paths = pathsOf({ ...step, match: { ...match, clients: null } })
    const isOpen = match.clients?.isNot === true
    if (
      paths === undefined ||
      isOddMatch({ ...match, clients: null }) ||
      (match.clients && !isOpen)
    ) {
      sayUnsayable(step, findings)
      return []
    }
    const text = 'It is answered with 503 and Retry-After; the page is that of errorPages.'
    findings.different(directivesOf(step), 'unavailable', text)
    const except = isOpen ? { except: match.clients?.addresses ?? [] } : {}
    const open = match.except.length > 0 ? [{ answer: 'open', paths: match.except }] : []
    return [...open, { ...(paths && { paths }), ...except }]
  })
}

function filesMembers(steps: readonly Step[], findings: Findings): Rule {
  const servers = steps.filter(({ name }) => name === 'file_server')
  findings.taken(...servers.flatMap(directivesOf))
  const index = indexOf(servers, findings)
  const places = servers.map((step) => ({
    paths: listedPathsOf(step),
    isOn: isListing(step),
    directives: [
      step.directive,
      ...(step.directive.block ?? []).filter(({ name }) => name === 'browse'),
    ],
  }))
  const paths = listingPaths({ isOn: false, places: places.toReversed() }, findings)
  return { ...index, ...(paths && { directoryListing: { enabled: true, ...paths } }) }
}

function listedPathsOf(step: Step): readonly string[] | null {
  const paths = pathsOf(step)
  return paths === undefined ? null : (paths ?? ['/**'])
}

const isListing = ({ args, directive }: Step) =>
  args.includes('browse') || (directive.block ?? []).some(({ name }) => name === 'browse')

function indexOf(servers: readonly Step[], findings: Findings): Rule {
  const lines = servers.flatMap(({ directive }) => directive.block ?? [])
  const named = lines.filter(({ name }) => name === 'index')
  const [first, ...others] = named
  const names = first ? argsOf(first) : ['index.html', 'index.txt']
  const good = names.filter(
    (name) => /^[^/{}\p{Cc}]{1,255}$/u.test(name) && !/^\.{1,2}$/.test(name),
  )
  if (first && good.length === names.length && names.length <= 16) findings.taken(first)
  else if (first)
    findings.different(
      [first],
      'index',
      'Index files are names in the folder, 16 at most; others are left out.',
    )
  for (const one of others) {
    if (argsOf(one).join(' ') === names.join(' ')) findings.taken(one)
    else
      findings.unsupported(
        [one],
        'site-wide',
        'A site has one list of index files: the first is taken.',
      )
  }
  const text = 'The node looks for copies of its own list: `precompressed` of a site says which.'
  findings.different(
    lines.filter(({ name }) => name === 'precompressed'),
    'copies',
    text,
  )
  for (const one of lines) {
    if (!['hide', 'index', 'precompressed', 'root', 'browse', 'import'].includes(one.name))
      findings.unsupported([one], 'file-server', 'A node has no such option of its file server.')
  }
  return good.join(' ') === 'index.html' ? {} : { index: good.slice(0, 16) }
}

const HANDLE_FIRST =
  'Caddy asks the `handle` blocks before it and never comes here. Where it is for some paths the draft refuses these.'

/** What answers with a text, or what nothing was done with. */
function sayRest(steps: readonly Step[], findings: Findings): void {
  for (const step of steps) {
    if (step.isLate) findings.different(directivesOf(step), 'handle-first', HANDLE_FIRST)
    const status = statusOf(step)
    if (status === null || findings.isSaid(step.directive)) continue
    if (step.match.isForMethods) {
      const text = 'A node answers GET, HEAD and OPTIONS; all other methods get 405 or 501.'
      findings.different([...directivesOf(step), ...(step.directive.block ?? [])], 'methods', text)
    } else if (status < 400) {
      const text = 'A node answers with files alone. Put the text into a file, and ask for that.'
      findings.unsupported(
        [...directivesOf(step), ...(step.directive.block ?? [])],
        'text-answer',
        text,
      )
    } else sayUnsayable(step, findings)
  }
}
