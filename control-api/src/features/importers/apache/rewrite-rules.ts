// SPDX-License-Identifier: MIT
// RewriteRule with the RewriteCond before it, read into what they ask and do.
import { argsOf, type Directive } from '../tree.ts'
import { keyOf } from './parser.ts'

export type Condition = {
  directive: Directive
  kind:
    | 'plain'
    | 'secure'
    | 'host'
    | 'missing'
    | 'exists'
    | 'suffix'
    | 'path'
    | 'referer'
    | 'clients'
    | 'method'
    | 'first-round'
    | 'request-line'
    | 'other'
  /** The expression or text that it is held against, without its "!". */
  pattern: string
  isNot: boolean
  isCaseless: boolean
  /** Of "missing" and "exists": f, d or l. Of "suffix": what stands behind the path. */
  what: string
  isOr: boolean
}
export type RewriteRule = {
  directive: Directive
  conditions: Condition[]
  pattern: string
  isNot: boolean
  target: string
  flags: ReadonlyMap<string, string>
}

const LONG_NAMES: Record<string, string> = {
  ...{ redirect: 'r', last: 'l', forbidden: 'f', gone: 'g', nocase: 'nc', qsappend: 'qsa' },
  ...{
    noescape: 'ne',
    passthrough: 'pt',
    env: 'e',
    cookie: 'co',
    chain: 'c',
    skip: 's',
    next: 'n',
  },
  ...{ type: 't', handler: 'h', qsdiscard: 'qsd', proxy: 'p', nosubreq: 'ns', discardpath: 'dpi' },
}

export function flagsOf(text: string): Map<string, string> {
  const list = text.replace(/^\[/, '').replace(/\]$/, '').split(',')
  return new Map(
    list
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => {
        const [name = '', ...value] = one.split('=')
        const key = name.toLowerCase()
        return [LONG_NAMES[key] ?? key, value.join('=')] as const
      }),
  )
}

/** In their order; conditions without a rule are none's. */
export function rewriteRules(directives: readonly Directive[]): RewriteRule[] {
  const rules: RewriteRule[] = []
  let conditions: Condition[] = []
  for (const directive of directives) {
    const key = keyOf(directive)
    if (key === 'rewritecond') conditions.push(conditionOf(directive))
    if (key !== 'rewriterule') continue
    const [pattern = '', target = '', flags = ''] = argsOf(directive)
    const isNot = pattern.startsWith('!')
    rules.push({
      ...{ directive, conditions, isNot, target, flags: flagsOf(flags) },
      pattern: isNot ? pattern.slice(1) : pattern,
    })
    conditions = []
  }
  return rules
}

const FILE =
  /^(%\{(REQUEST_FILENAME|SCRIPT_FILENAME)\}|%\{DOCUMENT_ROOT\}(%\{REQUEST_URI\}|\/?\$[01]))/i

function conditionOf(directive: Directive): Condition {
  const [test = '', given = '', flags = ''] = argsOf(directive)
  const options = flagsOf(flags)
  const isNot = given.startsWith('!')
  const pattern = isNot ? given.slice(1) : given
  const common = {
    ...{ directive, pattern, isNot, what: '' },
    isCaseless: options.has('nc'),
    isOr: options.has('or') || options.has('ornext'),
  }
  const file = FILE.exec(test)?.[0]
  const looksFor = /^-([fdlsFUHe])$/.exec(pattern)?.[1]
  if (file && looksFor) {
    const suffix = test.slice(file.length)
    const what = looksFor === 's' ? 'f' : looksFor.toLowerCase()
    if (suffix === '') return { ...common, kind: isNot ? 'missing' : 'exists', what }
    if (/^\.\w{1,8}$/.test(suffix) && !isNot && what === 'f')
      return { ...common, kind: 'suffix', what: suffix }
    return { ...common, kind: 'other' }
  }
  const variable = /^%\{([\w:-]+)\}$/.exec(test)?.[1]?.toUpperCase() ?? ''
  return { ...common, kind: kindOf(variable, pattern, isNot) }
}

function kindOf(variable: string, pattern: string, isNot: boolean): Condition['kind'] {
  const text = pattern.replaceAll(/^[=^]|\$$/g, '').toLowerCase()
  const yes = isNot ? 'plain' : 'secure'
  const no = isNot ? 'secure' : 'plain'
  switch (variable) {
    case 'HTTPS':
      return text === 'on' ? yes : text === 'off' || text === '' ? no : 'other'
    case 'SERVER_PORT':
      return text === '443' ? yes : text === '80' ? no : 'other'
    case 'REQUEST_SCHEME':
      return text === 'https' ? yes : text === 'http' ? no : 'other'
    case 'HTTP_HOST':
    case 'SERVER_NAME':
    case 'HTTP:HOST':
      return 'host'
    case 'REQUEST_URI':
      return /^[<>-]/.test(pattern) ? 'other' : 'path'
    case 'HTTP_REFERER':
    case 'HTTP:REFERER':
      return 'referer'
    case 'REMOTE_ADDR':
    case 'REMOTE_HOST':
    case 'REMOTE_USER':
      return 'clients'
    case 'REQUEST_METHOD':
      return 'method'
    case 'ENV:REDIRECT_STATUS':
      return text === '' || text === '200' ? 'first-round' : 'other'
    case 'THE_REQUEST':
      return 'request-line'
    default:
      return 'other'
  }
}

export const isFileCondition = ({ kind }: Condition) =>
  kind === 'missing' || kind === 'exists' || kind === 'suffix'
const statusText = ({ flags }: RewriteRule) => flags.get('r')?.toLowerCase() ?? ''
const NAMES: Record<string, number> = { permanent: 301, temp: 302, seeother: 303, '': 302 }
export const statusOf = (rule: RewriteRule): number =>
  NAMES[statusText(rule)] ?? (Number(statusText(rule)) || 0)
export const isRedirect = (rule: RewriteRule): boolean =>
  rule.flags.has('r') || /^(https?:\/\/|%\{(ENV:PROTO|REQUEST_SCHEME)\}:)/i.test(rule.target)
export const isAnswer = (rule: RewriteRule): boolean =>
  rule.flags.has('f') ||
  rule.flags.has('g') ||
  (rule.flags.has('r') && !/^3\d\d$/.test(`${statusOf(rule)}`))
export const answerOf = ({ flags, ...rest }: RewriteRule): number =>
  flags.has('g') ? 410 : flags.has('f') ? 403 : statusOf({ flags, ...rest })
