// SPDX-License-Identifier: MIT
// Redirects, rewrites, and what is looked for in place of a file. A node has one expression where Caddy has a matcher.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { escapeRegex, groupsIn } from '../regex.ts'
import { PAGE_FOR_ALL } from '../sayings.ts'
import type { Directive } from '../tree.ts'
import { statusOf } from './access.ts'
import {
  directivesOf,
  type Entry,
  entryOf,
  exceptOf,
  firstThatFits,
  pathsOf,
  refusedPathsOf,
  SHUT_BLOCK,
  sayUnsayable,
  UNSAYABLE,
} from './lists.ts'
import { anyOf } from './patterns.ts'
import { isIdle, isOddMatch, type Place, type Step } from './places.ts'

const LONGEST_MATCH = 1024
const LONGEST_TARGET = 2048
const MOST_CANDIDATES = 8
// The node's variables, in texts.
const [HOST, QUERY] = ['$' + '{host}', '$' + '{query}']

type Target = { to: string; hasQuery: boolean }

/** Caddy's placeholders as the node's; null: one has no counterpart. `whole` is what the path is called. */
export function targetOf(
  text: string,
  { match }: Step,
  { scheme, whole }: { scheme: string; whole: string },
): Target | null {
  let isKnown = true
  let hasQuery = false
  const to = text.replaceAll('$', '$$$$').replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    switch (name.replace(/^http\.request\./, '').replace(/^uri\.path$/, 'path')) {
      case 'uri':
      case 'orig_uri':
        hasQuery = true
        return whole
      case 'path':
      case 'orig_uri.path':
        return whole
      case 'host':
      case 'hostport':
        return HOST
      case 'scheme':
        return scheme
      case 'query':
      case 'uri.query':
        return QUERY
      default: {
        const group = /^(?:http\.regexp\.|re\.)(?:(.*)\.)?(\d)$/.exec(name)
        const isOwn = match.regex !== null && (group?.[1] ?? '') === match.regex.name
        if (group && (isOwn || group[1] === undefined) && match.regex) return `$${group[2]}`
        isKnown = false
        return ''
      }
    }
  })
  return isKnown && /^[!-~]*$/.test(to) && to.length <= LONGEST_TARGET ? { to, hasQuery } : null
}

/** The expression for a step's paths; null: there is none. */
export function regexFor(step: Step): { match: string; whole: string } | null {
  const { match, within } = step
  const { regex } = match
  if (within.isOdd || isOddMatch({ ...match, regex: null })) return null
  const not = exceptOf(step)
  const isnt = not.length > 0 ? `(?!${anyOf(not)}$)` : ''
  const around = within.paths ? `(?=${anyOf(within.paths)}$)` : ''
  if (regex) {
    if (within.prefix !== '' || groupsIn(regex.text) > 9) return null
    const own = regex.text.startsWith('^') && !regex.text.includes('|')
    const whole = isnt + around === ''
    const text = whole
      ? regex.text
      : `^${isnt}${around}${own ? regex.text.slice(1) : `(?s:.*?)(?:${regex.text})`}`
    return bounded(text, '$0')
  }
  if (within.prefix !== '') {
    const inner = match.paths ? `(?=${anyOf(match.paths)}$)` : ''
    return bounded(`^${isnt}${escapeRegex(within.prefix)}(${inner}/.*)$`, '$1')
  }
  const own = match.paths ? `(?i:${anyOf(match.paths)})` : '.*'
  return bounded(`^${isnt}${around}${own}$`, '$0')
}

const bounded = (match: string, whole: string) =>
  match.length <= LONGEST_MATCH && !/\p{Cc}/u.test(match) ? { match, whole } : null

const STATUS: Record<string, number> = { permanent: 301, temporary: 302 }
const NO_PLACEHOLDER =
  'A placeholder in it has no counterpart, or it is no address: write it out in sites[].redirects or .rewrites.'

export function redirectsOf(steps: readonly Step[], scheme: string, findings: Findings): Rule[] {
  return steps.flatMap((step) => {
    if (step.name !== 'redir') return []
    const [to = '', code = ''] = step.args
    const status = STATUS[code] ?? (code === '' ? 302 : Number(code))
    const found = regexFor(step)
    const target = found && targetOf(to, step, { scheme, whole: found.whole })
    if (!found) {
      sayUnsayable(step, findings)
      return []
    }
    const isAddress = target !== null && /^(https?:\/\/[^/]|\/|\$\d)/.test(target.to)
    const isGroup = groupsOf(target?.to ?? '') <= groupsIn(found.match)
    if (!isAddress || !isGroup || ![301, 302, 303, 307, 308].includes(status)) {
      const text =
        code === 'html' ? 'A page that leads elsewhere is a file: make one.' : NO_PLACEHOLDER
      findings.unsupported(directivesOf(step), 'redirect', text)
      return []
    }
    sayMoved(step, target, findings)
    return [{ match: found.match, to: target.to, ...(status !== 301 && { status }) }]
  })
}

const groupsOf = (to: string) =>
  Math.max(0, ...[...to.matchAll(/\$(\d)/g)].map(([, n]) => Number(n)))

function sayMoved(step: Step, { to, hasQuery }: Target, findings: Findings): void {
  if (!hasQuery && !to.includes('?')) {
    const text = 'The query is kept; Caddy drops it here.'
    findings.different(directivesOf(step), 'query-kept', text)
  } else findings.taken(...directivesOf(step))
  findings.taken(...(step.directive.block ?? []))
}

const REWRITTEN =
  'Redirects come before all rewrites here, and rules about headers, access and passwords look at the new path; of Caddy’s matchers those of headers and redirects see the old one.'

/** `rewrite` stops at the first that fits, `uri` goes on. */
export function rewritesOf(steps: readonly Step[], findings: Findings): Rule[] {
  const moves = steps.filter(
    ({ name, match }) => (name === 'rewrite' && match.files === null) || name === 'uri',
  )
  const rules = moves.flatMap((step) => {
    const rule = step.name === 'uri' ? uriRule(step) : rewriteRule(step)
    if (rule) {
      findings.different(directivesOf(step), 'rewritten', REWRITTEN)
      return [rule]
    }
    if (regexFor(step) === null) sayUnsayable(step, findings)
    else findings.unsupported(directivesOf(step), 'rewrite', NO_PLACEHOLDER)
    return []
  })
  const [first, second] = ['rewrite', 'uri'].map((name) => moves.filter((one) => one.name === name))
  if (first?.length && second?.length) {
    const text = 'A path that a `rewrite` changed is not changed again by `uri`.'
    findings.different(second.flatMap(directivesOf), 'rewritten-once', text)
  }
  return rules
}

function rewriteRule(step: Step): Rule | null {
  const found = regexFor(step)
  const target = found && targetOf(step.args[0] ?? '', step, { scheme: 'http', whole: found.whole })
  const to = target?.to.replace(/\?.*$/s, '')
  if (!found || !to || !/^(\/|\$\d)/.test(to) || to.includes(HOST)) return null
  return groupsOf(to) <= groupsIn(found.match)
    ? { match: found.match, to: step.within.prefix + to }
    : null
}

function uriRule(step: Step): Rule | null {
  const [what = '', text = ''] = step.args
  const found = regexFor(step)
  if (
    !found ||
    step.match.regex ||
    step.within.prefix !== '' ||
    !/^[!-~]+$/.test(text) ||
    /[{}]/.test(text)
  )
    return null
  const around = found.match === '^.*$' ? '' : `(?=${found.match.slice(1)})`
  const path = text.startsWith('/') ? text : `/${text}`
  if (what === 'strip_prefix')
    return {
      match: `^${around}${escapeRegex(path.replace(/\/$/, ''))}(/.*)$`,
      to: '$1',
      continue: true,
    }
  if (what === 'strip_suffix')
    return { match: `^${around}(/.*)${escapeRegex(text)}$`, to: '$1', continue: true }
  return null
}

const USUAL: Rule = { candidates: ['{path}', '{path}/'] }

/** What is looked for at a path; where Caddy has no file_server nothing is. */
export function tryFilesOf(places: readonly Place[], findings: Findings): Rule[] {
  return firstThatFits(places, {
    of: (place) => {
      const steps = [...place.own, ...place.outer]
      const served = steps.filter(({ name }) => name === 'file_server')
      const answers = steps.flatMap((step) => answered(step, findings))
      const tries = steps.flatMap((step) => tried(step, findings))
      const whole = served.some((step) => pathsOf(step) === null || isPlace(step, place))
      const some = served.flatMap((step) => {
        const paths = pathsOf(step)
        return whole || !paths ? [] : [{ paths, except: [], value: USUAL }]
      })
      const rest = whole ? [] : [{ paths: null, except: [], value: { candidates: ['404'] } }]
      return [...answers, ...tries, ...some, ...rest]
    },
    asEver: USUAL,
  })
}

const isPlace = (step: Step, { paths }: Place) =>
  JSON.stringify(pathsOf(step)) === JSON.stringify(paths)

function answered(step: Step, findings: Findings): Entry[] {
  const status = statusOf(step)
  if ((status !== 404 && status !== 410) || isIdle(step)) return []
  // An expression's are shut by a rewrite.
  if (step.match.regex && step.match.paths === null) return []
  const paths = refusedPathsOf(step)
  if (paths === undefined || isOddMatch(step.match)) {
    sayUnsayable(step, findings)
    return []
  }
  if (pathsOf(step) === undefined) findings.unsupported(directivesOf(step), 'matcher', SHUT_BLOCK)
  else if (step.args.length > 1)
    findings.different(
      directivesOf(step),
      'text-answer',
      'The status is taken, the text is not: name a page in errorPages.',
    )
  else findings.taken(...directivesOf(step))
  findings.taken(...(step.directive.block ?? []))
  const value = { candidates: [String(status)] }
  return [entryOf(step, findings, { paths, value, text: SHUT_BLOCK })]
}

const FOLDERS =
  'A folder without an index file or a list is passed over, and what comes next is tried.'
const FOLDER_FIRST =
  'A folder without its slash is sent on to the path with it, before the index file in it is looked for.'
const TRY =
  'Of these a node knows {path}, {path}/, {path} with something behind it, a file of the site, and =404, =403 or =410.'

/** `try_files`, and a rewrite of what is missing. */
function tried(step: Step, findings: Findings): Entry[] {
  const { match, directive, within } = step
  const words = wordsTried(step)
  if (words === null) return []
  const paths = pathsOf({ ...step, match: { ...match, files: null } })
  if (paths === undefined || isOddMatch({ ...match, files: null })) {
    findings.unsupported(directivesOf(step), 'matcher', UNSAYABLE)
    return []
  }
  const own = words.map((word, i) => candidateOf(word, i === words.length - 1, within.prefix))
  const named = own.filter((one) => one !== null)
  if (own.length === 0 || own.length > MOST_CANDIDATES || named.length < own.length) {
    findings.unsupported(directivesOf(step), 'try-files', TRY)
    return []
  }
  // Where nothing is found Caddy looks for the path as ever.
  const isOpen = named.every((one) => one.startsWith('{path}')) && !named.includes('{path}/')
  const known = isOpen && named.length < MOST_CANDIDATES ? [...named, '{path}/'] : named
  sayTried(directivesOf(step), known, findings)
  findings.taken(...(directive.block ?? []))
  return [entryOf(step, findings, { paths, value: { candidates: known } })]
}

/** What is looked for in turn; null: it is no such step. */
function wordsTried({ name, args, match: { files } }: Step): readonly string[] | null {
  if (name === 'try_files') return args
  if (name !== 'rewrite' || files === null) return null
  const to = args[0] ?? ''
  if (files.isMissing) return [...files.candidates, to]
  return /^\{(http\.matchers\.file|file_match)\.relative\}$/.test(to) ? files.candidates : []
}

function sayTried(said: readonly Directive[], known: readonly string[], findings: Findings): void {
  if (known.some((one) => one.startsWith('/')))
    findings.different(said, 'page-for-all', PAGE_FOR_ALL)
  else if (known.some((one) => /^\{path\}[^/]/.test(one))) {
    const text = 'A slash at the end of the path is taken off before something is put behind it.'
    findings.different(said, 'slash-and-suffix', text)
  } else findings.taken(...said)
  findings.different(said, 'folder-without-index', FOLDERS)
  if (known.includes('{path}/index.html')) findings.different(said, 'folder-first', FOLDER_FIRST)
}

function candidateOf(word: string, isLast: boolean, prefix: string): string | null {
  const code = /^=(404|403|410)$/.exec(word)?.[1]
  if (code) return isLast ? code : null
  const text = word
    .replace(/\?.*$/s, '')
    .replace(/^\/?\{(http\.request\.uri\.path|uri|path|http\.request\.uri)\}/, '{path}')
  if (/^\{path\}[^{}\ue000]*$/.test(text)) return text
  return /^\/[^{}\ue000]*[^/{}\ue000]$/.test(text) ? prefix + text : null
}
