// SPDX-License-Identifier: MIT
// mod_rewrite's rules as what a node has for them: redirects, rewrites, candidates, refusals, hosts that lead elsewhere.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { patternsOf } from '../regex.ts'
import { HIDDEN_FILES, HTTPS_REDIRECT, OTHER_METHODS, PAGE_FOR_ALL } from '../sayings.ts'
import type { Directive } from '../tree.ts'
import { isHost } from '../values.ts'
import { UNSAYABLE } from './layers.ts'
import { namesSent, refererHosts, targetName, WWW } from './rewrite-names.ts'
import {
  answerOf,
  type Condition,
  isAnswer,
  isFileCondition,
  isRedirect,
  type RewriteRule,
  rewriteRules,
  statusOf,
} from './rewrite-rules.ts'
import { type At, exceptOf, isForAll, type Move, moveOf, wholeRegex } from './rewrite-text.ts'

export type HostRedirect = { hosts: string[]; to: string; status: number; directives: Directive[] }
export type Moves = {
  redirects: Rule[]
  rewrites: Rule[]
  tryFiles: Rule[]
  refused: string[]
  gone: string[]
  hotlink: Rule[]
  hostRedirects: HostRedirect[]
  toHttps: Directive[]
}
export type Context = At & {
  findings: Findings
  hosts: readonly string[]
  /** By RewriteBase. */
  isBaseSaid: boolean
}

export const MOST_RULES = 256
const MOST_EXCEPT = 64
const USUAL = ['{path}', '{path}/']

export const noMoves = (): Moves => ({
  ...{ redirects: [], rewrites: [], tryFiles: [], refused: [], gone: [], hotlink: [] },
  ...{ hostRedirects: [], toHttps: [] },
})

/** Of one list: of the host itself, or of a folder. */
export function addRewrites(
  moves: Moves,
  directives: readonly Directive[],
  context: Context,
): void {
  const list = new RuleList(moves, context)
  for (const rule of rewriteRules(directives)) list.add(rule)
}

const CONDITION: Partial<Record<Condition['kind'] | 'query', string>> = {
  clients:
    'Say in sites[].access who may come in, by address; in maintenance.except who still sees the site.',
  path: 'Its condition on the path can’t be put into the rule: write the expression by hand.',
  missing: 'It asks whether there is a file: say in sites[].tryFiles what is looked for.',
  exists:
    'It asks whether there is a file: say in sites[].tryFiles what is looked for, or close the site by maintenance.',
  host: 'Give the host a site of its own in the draft, or name it in ServerName and ServerAlias.',
  'request-line': 'A node’s rules see the path alone: write the rule without this condition.',
  referer: 'Say in sites[].hotlink whose pages may link here.',
}
const OTHER =
  'A node’s rules go by the path alone: not by queries, cookies, browsers or variables. Write by hand what is meant.'
const SHUT =
  'Who may have these paths depends on more than a node’s rules can say. Until they are written by hand the draft shuts the paths to all.'
const ROUNDS =
  'The rules are gone through once, redirects first; in a folder’s rules Apache begins anew after each rewrite.'
const PATH_SLASH = 'A slash at the end of the path is taken off before something is put behind it.'

class RuleList {
  readonly #moves: Moves
  readonly #context: Context
  /** "If it is there, go no further" stood before. */
  #isForMissing = false
  readonly #passing: Directive[] = []
  readonly #except: string[] = []
  #chained = 0

  constructor(moves: Moves, context: Context) {
    this.#moves = moves
    this.#context = context
  }

  add(rule: RewriteRule): void {
    const { flags } = rule
    if (this.#chained > 0 || flags.has('c') || flags.has('s') || flags.has('n')) {
      this.#chained = flags.has('s')
        ? Math.min(Number(flags.get('s')) || 1, 1000)
        : flags.has('c')
          ? 1
          : Math.max(0, this.#chained - 1)
      this.#refuse(
        rule,
        'rewrite-flow',
        'Rules of a node are not skipped, joined or repeated: write them one by one.',
      )
      return
    }
    const conditions = rule.conditions.filter(
      ({ kind, isNot, pattern }) =>
        kind !== 'first-round' && !(kind === 'method' && isNot === /POST/i.test(pattern)),
    )
    const only = (...kinds: Condition['kind'][]) =>
      conditions.every(({ kind }) => kinds.includes(kind))
    if (rule.target === '-') this.#addNothing(rule, conditions)
    else if (conditions.some(({ kind }) => kind === 'plain')) this.#addHttps(rule, conditions)
    else if (conditions.some(({ kind }) => kind === 'host')) this.#addHost(rule, conditions)
    else if (isAnswer(rule)) this.#addAnswer(rule, conditions)
    else if (isRedirect(rule)) this.#addRedirect(rule, conditions)
    else if (only('missing', 'path', 'suffix') && conditions.some(isFileCondition))
      this.#addFallback(rule, conditions)
    else if (conditions.length === 0 && this.#isForMissing && isForAll(rule))
      this.#addFallback(rule, conditions)
    else this.#addRewrite(rule, conditions)
  }

  #said(rule: RewriteRule): Directive[] {
    return [...rule.conditions.map(({ directive }) => directive), rule.directive]
  }

  #taken(rule: RewriteRule): void {
    this.#context.findings.taken(...this.#said(rule))
  }

  #refuse(rule: RewriteRule, code: string, text: string): void {
    this.#context.findings.unsupported(this.#said(rule), code, text)
  }

  #refuseFor(rule: RewriteRule, conditions: readonly Condition[]): void {
    const first = conditions.find(({ kind }) => CONDITION[kind]) ?? conditions[0]
    this.#refuse(rule, 'rewrite-condition', (first && CONDITION[first.kind]) ?? OTHER)
  }

  /** "-": it refuses, ends the list, or sets a variable. */
  #addNothing(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { flags } = rule
    if (isAnswer(rule)) {
      this.#addAnswer(rule, conditions)
      return
    }
    const variable = (flags.get('e') ?? '').split(':')[0] ?? ''
    if (flags.has('e') && !flags.has('l') && /^(proto|https|http_authorization)$/i.test(variable)) {
      this.#taken(rule)
      return
    }
    if (!flags.has('l') && !flags.has('end')) {
      this.#refuse(
        rule,
        'variable',
        'A node’s rules set no variables, cookies or types: use headers or mimeTypes.',
      )
      return
    }
    if (conditions.length === 0) {
      // More of them no expression has room for.
      if (this.#except.length < MOST_EXCEPT) this.#except.push(exceptOf(rule, this.#context.prefix))
      this.#taken(rule)
      return
    }
    if (conditions.every(({ kind }) => kind === 'exists') && isForAll(rule)) {
      this.#isForMissing = true
      this.#passing.push(...this.#said(rule))
      this.#taken(rule)
      return
    }
    this.#refuseFor(rule, conditions)
  }

  /** Refused, gone or not found. */
  #addAnswer(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { findings, prefix } = this.#context
    const status = answerOf(rule)
    const regex = wholeRegex(rule.pattern, prefix)
    if (
      /^(\(\^\|\/\)|\(\?:\^\|\/\)|\^|\/)\\\./.test(rule.pattern) &&
      conditions.every((one) => isFileCondition(one) || one.kind === 'path')
    ) {
      findings.different(this.#said(rule), 'hidden-files', HIDDEN_FILES)
      return
    }
    if (conditions.length > 0 && conditions.every(({ kind }) => kind === 'method')) {
      findings.different(this.#said(rule), 'methods', OTHER_METHODS)
      return
    }
    const patterns = rule.isNot
      ? null
      : isForAll(rule)
        ? ['/**']
        : patternsOf(regex, rule.flags.has('nc'))
    if (conditions.length > 0 && conditions.every(({ kind }) => kind === 'referer')) {
      this.#addHotlink(rule, conditions, patterns)
      return
    }
    const isShut = conditions.some(({ kind }) => kind === 'clients')
    if (conditions.length > 0 && !conditions.every(isFileCondition) && !isShut) {
      this.#refuseFor(rule, conditions)
      return
    }
    if (!patterns) {
      this.#refuse(rule, 'location', UNSAYABLE)
      return
    }
    if (isShut) this.#refuse(rule, 'clients', SHUT)
    else if (status === 403 || status === 410) this.#taken(rule)
    else
      findings.different(
        this.#said(rule),
        'forbidden',
        `It is answered with 403 in place of ${status}.`,
      )
    const list = status === 410 && !isShut ? this.#moves.gone : this.#moves.refused
    list.push(...patterns)
  }

  #addHotlink(
    rule: RewriteRule,
    conditions: readonly Condition[],
    patterns: readonly string[] | null,
  ): void {
    const { findings } = this.#context
    const isPlain = conditions.every(({ isNot, isOr }) => isNot && !isOr)
    if (!isPlain || !patterns) {
      this.#refuseFor(rule, conditions)
      return
    }
    const welcome = conditions.filter(({ pattern }) => pattern !== '^$' && pattern !== '')
    const hosts = welcome.flatMap(({ pattern }) => refererHosts(pattern))
    if (hosts.length === 0 && welcome.length > 0) {
      this.#refuseFor(rule, conditions)
      return
    }
    const text =
      'The site’s own pages are always welcome; expressions and paths of referrers are left out.'
    findings.different(this.#said(rule), 'hotlink', text)
    const isEmptyWelcome = welcome.length < conditions.length
    this.#moves.hotlink.push({
      ...(patterns[0] !== '/**' && { paths: [...patterns] }),
      hosts: [...new Set(hosts)].slice(0, 256),
      ...(!isEmptyWelcome && { allowEmpty: false }),
    })
  }

  #addHttps(rule: RewriteRule, conditions: readonly Condition[]): void {
    const others = conditions.filter(({ kind }) => kind !== 'plain')
    const isOrHost = others.every(({ kind }) => kind === 'host') && others.length > 0
    const isPlain = others.every((one) => one.kind === 'path' && /well-known/.test(one.pattern))
    const target = targetName(rule)
    const isSame = /^%\{(HTTP_HOST|SERVER_NAME|HTTP:Host)\}$/i.test(target)
    if (isOrHost) {
      // One of both is enough, or https is what the host's address has anyway.
      const isEither = conditions.some(({ isOr }) => isOr)
      if (!isEither || !isForAll(rule)) {
        this.#addHost(rule, others)
        return
      }
      this.#moves.toHttps.push(...this.#said(rule))
      this.#context.findings.different(this.#said(rule), 'https-redirect', HTTPS_REDIRECT)
      if (!isSame) this.#addHost(rule, others)
      return
    }
    const name = this.#context.hosts.includes(target.toLowerCase())
    if (!isRedirect(rule) || !isPlain || !isForAll(rule) || (!isSame && !name)) {
      this.#refuse(
        rule,
        'scheme',
        'Only a redirect of all to https can depend on the scheme: sites[].redirectToHttps.',
      )
      return
    }
    this.#moves.toHttps.push(...this.#said(rule))
    this.#context.findings.different(this.#said(rule), 'https-redirect', HTTPS_REDIRECT)
    if (isSame || !name) return
    const others2 = this.#context.hosts.filter((one) => one !== target.toLowerCase())
    this.#sendHosts(rule, others2, () => target.toLowerCase())
  }

  /** Names that are sent to another one. */
  #addHost(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { hosts } = this.#context
    const tests = conditions.filter(
      ({ kind, pattern }) =>
        kind === 'host' && pattern !== '.' && pattern !== '^$' && pattern !== '',
    )
    const rest = conditions.filter(({ kind }) => kind !== 'host' && kind !== 'secure')
    const sent = namesSent(tests, hosts)
    if (!isRedirect(rule) || !isForAll(rule) || rest.length > 0 || !sent || sent.length === 0) {
      this.#refuseFor(rule, rest.length > 0 ? rest : conditions)
      return
    }
    const target = targetName(rule)
    const bare = (host: string) => host.replace(/^www\./, '')
    const nameOf = (host: string) =>
      target
        .replace(/%1/, bare(host))
        .replace(/%\{(HTTP_HOST|SERVER_NAME|HTTP:Host)\}/i, host)
        .toLowerCase()
    if (
      this.#context.scheme === 'http' &&
      /^https:/i.test(rule.target) &&
      sent.every((host) => nameOf(host) === host)
    ) {
      this.#moves.toHttps.push(...this.#said(rule))
      this.#context.findings.different(this.#said(rule), 'https-redirect', HTTPS_REDIRECT)
      return
    }
    const isVariable = target.includes('%')
    const named = isVariable ? sent.filter((one) => !one.startsWith('*')) : sent
    const isGood = (host: string) => isHost(nameOf(host)) && nameOf(host) !== host
    if (named.length === 0 || !named.every(isGood)) {
      this.#refuse(rule, 'host', CONDITION.host ?? '')
      return
    }
    const shown = named.slice(0, 5).join(', ')
    if (tests.some(({ pattern }) => WWW.test(pattern)))
      this.#context.findings.different(
        this.#said(rule),
        'host-expression',
        `Read as ${shown}, of the names that the host has.`,
      )
    this.#taken(rule)
    this.#sendHosts(rule, named, nameOf)
  }

  #sendHosts(rule: RewriteRule, hosts: readonly string[], nameOf: (host: string) => string): void {
    const { scheme } = this.#context
    const written = /^https?(?=:)/i.exec(rule.target)?.[0].toLowerCase() ?? scheme
    const { hostRedirects } = this.#moves
    // An earlier rule's names are gone when this one is reached.
    const gone = new Set(hostRedirects.flatMap((one) => one.hosts))
    for (const host of hosts.filter((one) => !gone.has(one))) {
      const to = `${written}://${nameOf(host)}$0`
      const status = statusOf(rule)
      const had = hostRedirects.find((one) => one.to === to && one.status === status)
      if (had) had.hosts.push(host)
      else hostRedirects.push({ hosts: [host], to, status, directives: this.#said(rule) })
    }
  }

  #addRedirect(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { findings, prefix } = this.#context
    const paths = conditions.filter(({ kind }) => kind === 'path')
    const guards = conditions.filter((one) => isGuard(one, rule))
    const isOr = conditions.some((one) => one.isOr)
    if (paths.length + guards.length < conditions.length || isOr || this.#isForMissing) {
      this.#refuseFor(
        rule,
        conditions.filter((one) => one.kind !== 'path' && !guards.includes(one)),
      )
      return
    }
    const move = this.#moveOf(rule, paths)
    const status = statusOf(rule)
    if (!move || ![301, 302, 303, 307, 308].includes(status)) {
      this.#refuse(rule, 'redirect', NO_MOVE)
      return
    }
    if (this.#moves.redirects.length >= MOST_RULES) {
      this.#refuse(rule, 'too-many', TOO_MANY)
      return
    }
    if (move.isQueryDropped)
      findings.different(this.#said(rule), 'query-kept', 'The query is kept; Apache drops it here.')
    else if (move.hasOwnQuery && rule.flags.has('qsa')) {
      const text = 'The query that the client sent is not added to the one written here.'
      findings.different(this.#said(rule), 'query-not-added', text)
    } else this.#taken(rule)
    const isRelative = !/^([a-z]+:)?\/|^%/i.test(rule.target)
    if (isRelative && prefix !== null && !this.#context.isBaseSaid)
      findings.different(this.#said(rule), 'relative-target', RELATIVE)
    if (this.#moves.rewrites.length > 0)
      findings.different(this.#said(rule), 'rewrite-rounds', ROUNDS)
    this.#moves.redirects.push({
      ...{ match: move.match, to: move.to },
      ...(status !== 301 && { status }),
    })
  }

  #addRewrite(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { findings } = this.#context
    const paths = conditions.filter(({ kind }) => kind === 'path')
    const isOr = conditions.some((one) => one.isOr)
    if (paths.length < conditions.length || isOr || this.#isForMissing) {
      this.#refuseFor(
        rule,
        conditions.filter(({ kind }) => kind !== 'path'),
      )
      return
    }
    const move = this.#moveOf(rule, paths)
    const to = move?.to.replace(/\?.*$/s, '') ?? ''
    if (!move || !/^[/$]/.test(to) || to.includes('{')) {
      this.#refuse(rule, 'rewrite', NO_MOVE)
      return
    }
    if (this.#moves.rewrites.length >= MOST_RULES) {
      this.#refuse(rule, 'too-many', TOO_MANY)
      return
    }
    findings.different(this.#said(rule), 'rewrite-rounds', ROUNDS)
    const isLast = rule.flags.has('l') || rule.flags.has('end')
    this.#moves.rewrites.push({ match: move.match, to, ...(!isLast && { continue: true }) })
  }

  /** What is looked for where there is no file. */
  #addFallback(rule: RewriteRule, conditions: readonly Condition[]): void {
    const { findings, prefix, base } = this.#context
    const isOr = conditions.some((one) => one.isOr)
    const notFolders =
      this.#isForMissing || conditions.some(({ what, kind }) => kind === 'missing' && what === 'd')
    const suffix = conditions.find(({ kind }) => kind === 'suffix')?.what
    const [target = ''] = rule.target.split('?')
    const suffixed = suffix ?? /^\/?\$1(\.\w{1,8})$/.exec(target)?.[1]
    const isSuffixed =
      suffixed !== undefined &&
      (target === `$1${suffixed}` ||
        target === `/$1${suffixed}` ||
        /%\{REQUEST_(URI|FILENAME)\}(\.\w+)$/.test(target))
    const page = target.startsWith('/') ? target : `${base}${target}`
    const isPage = /^\/[^${}%\\\p{Cc}]*[^/${}%\\\p{Cc}]$/u.test(page) && page.length <= 1024
    const rest = conditions.filter(({ kind }) => kind === 'path')
    const paths =
      isForAll(rule) || isSuffixed
        ? prefix === null || prefix === '/'
          ? []
          : [`${prefix}**`]
        : patternsOf(wholeRegex(rule.pattern, prefix), rule.flags.has('nc'))
    if (isOr || rest.some(({ isNot }) => !isNot) || (!isPage && !isSuffixed) || paths === null) {
      this.#refuse(
        rule,
        'rewrite',
        'It needs patterns of paths and a page of the site: see sites[].tryFiles.',
      )
      return
    }
    const candidates = isSuffixed
      ? [
          '{path}',
          ...(notFolders ? ['{path}/'] : []),
          `{path}${suffixed}`,
          ...(notFolders ? [] : ['{path}/']),
        ]
      : ['{path}', ...(notFolders ? ['{path}/'] : []), page]
    // Paths that earlier rules or conditions keep from it are looked up as ever.
    const kept = rest.flatMap(({ pattern, isCaseless }) => patternsOf(pattern, isCaseless) ?? [])
    if (kept.length > 0) this.#moves.tryFiles.push({ paths: kept.slice(0, 64), candidates: USUAL })
    const had = this.#moves.tryFiles.find(
      (one) => JSON.stringify(one.paths ?? []) === JSON.stringify(paths),
    )
    if (had)
      had.candidates = [...new Set([...(had.candidates as string[]), ...candidates])].slice(0, 8)
    else this.#moves.tryFiles.push({ ...(paths.length > 0 && { paths }), candidates })
    const said = [...this.#said(rule), ...this.#passing]
    if (isSuffixed) findings.different(said, 'slash-and-suffix', PATH_SLASH)
    else {
      findings.different(said, 'page-for-all', PAGE_FOR_ALL)
      findings.different(said, 'file-and-more', AND_MORE)
    }
    findings.different(said, 'folder-without-index', FOLDERS)
  }

  /** null: it can't be said, or not for which paths earlier rules have ended the list. */
  #moveOf(rule: RewriteRule, paths: readonly Condition[]): Move | null {
    const { prefix, base, scheme, except } = this.#context
    if (this.#except.length === MOST_EXCEPT) return null
    return moveOf(rule, { prefix, base, scheme, except: [...except, ...this.#except] }, paths)
  }
}

export const AND_MORE = 'A file’s path with more behind it gets the page as well; Apache says 404.'
export const FOLDERS =
  'A folder without an index file or a list is passed over, and what comes next is tried.'
const RELATIVE =
  'Without RewriteBase Apache sends visitors to the folder’s path on the disk; the draft sends them to its address.'
const NO_MOVE =
  'Of an address a node knows $0 to $9, the host and the path; of groups of conditions (%1) and variables nothing. Write the rule by hand.'
const TOO_MANY = `A site has at most ${MOST_RULES} of these rules: put old addresses into sites[].redirectFile.`

/** "Only what a visitor asked for himself", of an index file: a node's redirects see nothing else. */
const isGuard = ({ kind, pattern }: Condition, rule: RewriteRule) =>
  kind === 'request-line' && /index/.test(pattern) && /index/.test(rule.pattern)
