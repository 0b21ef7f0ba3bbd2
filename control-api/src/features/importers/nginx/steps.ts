// SPDX-License-Identifier: MIT
// `return`, `rewrite` and `if`: what nginx does one after the other, as the node's redirects, rewrites and rules.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { groupsIn } from '../regex.ts'
import { HTTPS_REDIRECT, OTHER_METHODS } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import type { Location, Locations, Scope } from './scope.ts'
import { mayMeet } from './scope.ts'
import { matchOf, type Target, targetOf } from './template.ts'

export type HostRedirect = { hosts: string[]; to: string; status: number; directives: Directive[] }
export type Steps = {
  redirects: Rule[]
  rewrites: Rule[]
  /** Hosts that are sent elsewhere as a whole. */
  hostRedirects: HostRedirect[]
  redirectToHttps: boolean
  /** Answers without a file: of a location, or of the server (null). */
  answers: Map<Location | null, { status: number; directive: Directive }>
  /** Locations that need a candidate when no file is there. */
  fallbacks: Map<Location | null, { path: string; directives: Directive[] }>
  hotlink: Map<Location | null, Directive[]>
}
type Context = {
  findings: Findings
  locations: Locations
  hosts: readonly string[]
  scheme: 'http' | 'https'
}
type At = { scope: Scope; location: Location | null; before: readonly Location[] }

const LONGEST_MATCH = 1024
const MOST_RULES = 256
const VARIABLE =
  'A variable of nginx in it has no counterpart. Write the address out, or send visitors there by a page.'

export function stepsOf(server: Scope, context: Context): Steps {
  const steps: Steps = {
    redirects: [],
    rewrites: [],
    hostRedirects: [],
    redirectToHttps: false,
    answers: new Map(),
    fallbacks: new Map(),
    hotlink: new Map(),
  }
  const { list, root } = context.locations
  walk(steps, context, { scope: server, location: null, before: [] })
  for (const location of [...list, ...(root ? [root] : [])]) {
    const at = list.indexOf(location)
    const above = at < 0 ? list : list.slice(0, at)
    const before = above.filter((one) => mayMeet(one, location) && !sendsAll(one))
    walk(steps, context, { scope: location.scope, location, before })
  }
  for (const kind of ['redirects', 'rewrites'] as const)
    steps[kind] = steps[kind].slice(0, MOST_RULES)
  return steps
}

/** Its own redirect stands further up the list, so nothing of it comes so far. */
function sendsAll({ scope }: Location): boolean {
  const [first] = scope.steps
  return first?.name === 'return' && /^30[12378]$|^https?:/.test(argsOf(first)[0] ?? '')
}

function walk(steps: Steps, context: Context, at: At): void {
  for (const directive of at.scope.steps) {
    if (directive.name === 'return') addReturn(steps, context, { ...at, directive })
    else if (directive.name === 'rewrite') addRewrite(steps, context, { ...at, directive })
    else if (directive.name === 'if') addIf(steps, context, { ...at, directive })
    else context.findings.taken(directive)
  }
}

type Step = At & { directive: Directive }

function addReturn(
  steps: Steps,
  context: Context,
  { directive, location, before, scope }: Step,
): void {
  const { findings } = context
  const [first = '', second = ''] = argsOf(directive)
  const isAddress = !/^\d+$/.test(first)
  const status = isAddress ? 302 : Number(first)
  const place = location?.text === '/' ? null : location
  if ([301, 302, 303, 307, 308].includes(status)) {
    const target = targetOf(isAddress ? first : second, targetContext(context, scope))
    addRedirect(steps, context, { directive, target, status, match: matchOf(location, before) })
  } else if (status < 400) {
    const text = 'A node answers with files alone. Put the text into a file, and ask for that.'
    findings.unsupported([directive], 'text-answer', text)
  } else if (second !== '') {
    const text =
      'The status is taken, the text is not: put it into a file and name that in errorPages.'
    findings.unsupported([directive], 'text-answer', text)
    steps.answers.set(place, { status, directive })
  } else steps.answers.set(place, { status, directive })
}

type Redirect = { directive: Directive; target: Target | null; status: number; match: string }

/** null: it can be a rule of the node. */
function whyNot(match: string, to: string | null, count: number): string | null {
  if (to === null) return VARIABLE
  if (count >= MOST_RULES) {
    return `A site has at most ${MOST_RULES} of these rules: put old addresses into sites[].redirectFile.`
  }
  const groups = [...to.matchAll(/\$\{?(\d)/g)].map(([, n]) => Number(n))
  if (Math.max(0, ...groups) > groupsIn(match)) {
    return 'The address names a group that the expression does not have: leave it out.'
  }
  const isText = match.length <= LONGEST_MATCH && !/\p{Cc}/u.test(match)
  return isText
    ? null
    : `The expression, with the places that go before it, is longer than ${LONGEST_MATCH} characters or has control characters: write a shorter one by hand.`
}

function addRedirect(steps: Steps, { findings }: Context, redirect: Redirect): void {
  const { directive, target, status, match } = redirect
  const why = whyNot(match, target?.to ?? null, steps.redirects.length)
  if (why !== null || !target) {
    findings.unsupported([directive], 'redirect', why ?? VARIABLE)
    return
  }
  if (!target.hasQuery && !target.to.includes('?')) {
    findings.different([directive], 'query-kept', 'The query is kept; nginx drops it here.')
  } else findings.taken(directive)
  steps.redirects.push({ match, to: target.to, ...(status !== 301 && { status }) })
}

const targetContext = ({ hosts, scheme }: Context, scope: Scope) => ({
  scope,
  scheme,
  name: hosts.find((host) => !host.startsWith('*')) ?? null,
})

function addRewrite(steps: Steps, context: Context, step: Step): void {
  const { findings } = context
  const { directive, scope } = step
  const [regex = '', replacement = '', flag = ''] = argsOf(directive)
  const isElsewhere = /^https?:|^\$scheme/.test(replacement)
  const isDropped = replacement.endsWith('?')
  const text = isDropped ? replacement.slice(0, -1) : replacement
  const target = targetOf(text, targetContext(context, scope))
  const match = ownMatch(step, regex, target?.to ?? '')
  if (flag === 'permanent' || flag === 'redirect' || isElsewhere) {
    const status = flag === 'permanent' ? 301 : 302
    if (target?.to.includes('?')) {
      const why =
        'The query that the client sent is not added to the one written here; nginx adds it.'
      findings.different([directive], 'query-not-added', why)
    }
    addRedirect(steps, context, {
      directive,
      target: target && { ...target, hasQuery: !isDropped || target.hasQuery },
      ...{ status, match },
    })
    return
  }
  const path = target?.to.replace(/\?.*$/s, '') ?? null
  const why = whyNot(match, path, steps.rewrites.length)
  if (why !== null || path === null) {
    findings.unsupported([directive], 'rewrite', why ?? VARIABLE)
    return
  }
  findings.taken(directive)
  steps.rewrites.push({ match, to: path, ...(flag === '' && { continue: true }) })
}

/** The expression itself where the location says no more than it does; `$0` has to be the whole path. */
function ownMatch({ location, before }: At, regex: string, to: string): string {
  const prefix = location && location.kind !== 'regex' ? location.text : ''
  const isNarrower = regex.startsWith(`^${prefix}`) && !regex.includes('|')
  const isForAll = location === null || prefix === '/' || isNarrower
  return before.length === 0 && isForAll && !to.includes('$0')
    ? regex
    : matchOf(location, before, regex)
}

function addIf(steps: Steps, context: Context, step: Step): void {
  const { findings } = context
  const { directive, scope, location } = step
  const words = withoutBrackets(argsOf(directive).join(' '))
  // What a file adds stands behind its name.
  const inner = (directive.block ?? []).filter(({ name }) => name !== 'include')
  const [only] = inner.filter(({ name }) => name !== 'break')
  const all = [...everyDirective([directive])]
  const place = location?.text === '/' ? null : location
  const refuse = (code: string, text: string) => findings.unsupported(all, code, text)
  const sent = only && inner.length <= 2 ? redirectIn(only, targetContext(context, scope)) : null

  const scheme = /^\$(scheme|https)\s*(!?=|!?~\*?)\s*"?(\w*)"?$/.exec(words)
  if (scheme && location === null) {
    const isPlain = /^(= ?http|!= ?https|= ?|= ?off|!= ?on)$/.test(
      `${scheme[2]} ${scheme[3]}`.trim(),
    )
    if (isPlain && sent && /^https:\/\/\$\{host\}\$0$/.test(sent.to)) {
      steps.redirectToHttps = true
      findings.different(all, 'https-redirect', HTTPS_REDIRECT)
    } else
      refuse(
        'if',
        'Only a redirect of http to https can depend on the scheme: sites[].redirectToHttps.',
      )
    return
  }
  const host = /^\$(?:host|http_host)\s*(!?=)\s*"?'?([^\s"']+)"?'?$/.exec(words)
  if (host && sent && location === null) {
    const name = host[2] ?? ''
    const hosts = host[1] === '=' ? [name] : context.hosts.filter((one) => one !== name)
    if (hosts.length > 0 && hosts.every((one) => context.hosts.includes(one))) {
      steps.hostRedirects.push({ hosts, ...sent, directives: all })
      findings.taken(...all)
    } else refuse('if', 'It is about a host that this server does not have, so it does nothing.')
    return
  }
  if (/^!-[efd] \$request_filename$/.test(words) && only) {
    const target = only.name === 'rewrite' ? argsOf(only) : []
    const path = target[1]?.replace(/\?.*$/s, '') ?? ''
    const isForAll = ['^', '.', '.*', '^.*$', '^(.*)$', '^/(.*)$', '^(.+)$', '^/(.+)$'].includes(
      target[0] ?? '',
    )
    if (isForAll && /^\/[^${}]*[^/${}]$/.test(path)) {
      steps.fallbacks.set(place, { path, directives: all })
      return
    }
  }
  if (/^\$invalid_referer$/.test(words) && only?.name === 'return') {
    steps.hotlink.set(place, all)
    return
  }
  if (words.startsWith('$request_method') && only?.name === 'return') {
    findings.different(all, 'methods', OTHER_METHODS)
    return
  }
  const [variable = ''] = /\$\w+/.exec(words) ?? []
  refuse(
    'if',
    IF_ADVICE[variable] ??
      'A node has no conditions. What depends on a path is said by the `paths` of a rule.',
  )
}

/** By no expression: one that looks for blanks before the last bracket looks from each blank on. */
const withoutBrackets = (text: string) =>
  text.slice(text.startsWith('(') ? 1 : 0, text.endsWith(')') ? -1 : undefined).trim()

const IF_ADVICE: Record<string, string> = {
  $http_user_agent: 'A node makes no difference between browsers. Do it in front of the farm.',
  $http_cookie:
    'A node makes no difference by cookies. Keep this host where it is, or decide in the page.',
  $query_string: 'A node’s rules do not look at the query.',
  $args: 'A node’s rules do not look at the query.',
  $host: 'Give the host a site of its own in the draft.',
  $http_host: 'Give the host a site of its own in the draft.',
  $request_filename: 'Say in sites[].tryFiles what is looked for, one after the other.',
  $document_root: 'Say in sites[].maintenance when the site is closed.',
  $remote_addr: 'Say in sites[].access who may come in, by address.',
  $http_referer: 'Say in sites[].hotlink whose pages may link here.',
}

function redirectIn(directive: Directive, context: Parameters<typeof targetOf>[1]) {
  const [first = '', second = '', flag = ''] = argsOf(directive)
  if (directive.name === 'return') {
    const isAddress = !/^\d+$/.test(first)
    const target = targetOf(isAddress ? first : second, context)
    const status = isAddress ? 302 : Number(first)
    return target && [301, 302, 303, 307, 308].includes(status) ? { to: target.to, status } : null
  }
  if (directive.name !== 'rewrite' || !/^(\^|\.\*|\^\(\.\*\)\$?|\^\/\(\.\*\)\$?)$/.test(first))
    return null
  // The whole path, however it was taken.
  const whole = second.replace(/\/\$1/, '$request_uri').replace(/\$1/, '$request_uri')
  const target = targetOf(whole.replace(/\?$/, ''), context)
  return target ? { to: target.to, status: flag === 'permanent' ? 301 : 302 } : null
}
