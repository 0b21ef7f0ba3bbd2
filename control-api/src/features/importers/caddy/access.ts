// SPDX-License-Identifier: MIT
// Who may have what: refusals by `respond`, `error` and `abort`, by clients' addresses, hidden files and passwords.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { MOST_PATTERNS } from '../regex.ts'
import { PASSWORD_HASHES } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import {
  directivesOf,
  type Entry,
  entryOf,
  firstThatFits,
  pathsMember,
  pathsOf,
  refusedPathsOf,
  SHUT_BLOCK,
} from './lists.ts'
import { both, mayMeet } from './patterns.ts'
import { isIdle, isOddMatch, type Place, type Step } from './places.ts'

/** What a step answers without a file; null: it is no such step. */
export function statusOf({ name, args }: Step): number | null {
  if (name === 'abort') return 403
  const last = args.at(-1) ?? ''
  const status = /^\d{3}$/.test(last) ? Number(last) : null
  if (name === 'error') return status ?? 500
  return name === 'respond' ? (status ?? 200) : null
}

const isRefusal = (step: Step): boolean => {
  const status = statusOf(step)
  return status !== null && status >= 400 && ![404, 410, 503].includes(status) && !isIdle(step)
}

const FORBIDDEN = 'It is answered with 403 and the node’s own page; `errorPages` may name another.'
const SHUT =
  'Clients are told apart in a way that a node’s rules can’t say. Until you write the rule by hand the draft shuts these paths to all.'
export function accessOf(
  places: readonly Place[],
  { steps, root, findings }: { steps: readonly Step[]; root: string; findings: Findings },
): Rule[] {
  const refusals = steps.filter((step) => isRefusal(step) && step.match.clients !== null)
  const pairs = refusals.filter(({ match }) => match.clients?.isNot && !match.isOdd)
  const plain = refusals.filter((step) => !pairs.includes(step))
  const byClients = [...plain.flatMap((step) => rulesOf(step, findings)), ...apart(pairs, findings)]
  const own = firstThatFits(places, {
    // What leaves something out must not let it past another.
    of: (place) =>
      [...place.own, ...place.outer]
        .flatMap((step) => refused(step, findings))
        .toSorted((a, b) => a.except.length - b.except.length),
    asEver: { action: 'allow' },
  })
  const shut = steps.flatMap((step) => shutRules(step, findings))
  const others = own.filter(isNeeded)
  const opens = others.filter(({ action }) => action === 'allow')
  // Nor past a list of clients.
  if (byClients.length > 0 && opens.length > 0)
    findings.unsupported(refusals.flatMap(directivesOf), 'clients', SHUT)
  const kept = byClients.length > 0 ? others.filter(({ action }) => action === 'deny') : others
  return [...hidden(steps, root, findings), ...shut, ...kept, ...byClients]
}

const isNeeded = (rule: Rule, i: number, all: readonly Rule[]) =>
  rule.action !== 'allow' || all.slice(i + 1).some(({ action }) => action === 'deny')

function refused(step: Step, findings: Findings): Entry[] {
  const { match, args } = step
  if (!isRefusal(step) || isOddMatch(match)) return []
  const paths = refusedPathsOf(step)
  if (paths === undefined) return []
  if (pathsOf(step) === undefined) findings.unsupported(directivesOf(step), 'matcher', SHUT_BLOCK)
  else if (statusOf(step) === 403 && args.length <= 1) findings.taken(...directivesOf(step))
  else findings.different(directivesOf(step), 'forbidden', FORBIDDEN)
  findings.taken(...(step.directive.block ?? []))
  return [entryOf(step, findings, { paths, value: DENY, text: SHUT_BLOCK })]
}

const DENY: Rule = { action: 'deny' }

function rulesOf(step: Step, findings: Findings): Rule[] {
  const { match } = step
  const paths = pathsOf({ ...step, match: { ...match, isOdd: false } })
  const addresses = match.clients?.addresses ?? []
  if (paths === undefined || match.isOdd || match.except.length > 0 || addresses.length === 0) {
    findings.unsupported(directivesOf(step), 'clients', SHUT)
    return [{ ...DENY, ...pathsMember(paths ?? null) }]
  }
  findings.different(directivesOf(step), 'forbidden', FORBIDDEN)
  return [{ ...DENY, ...pathsMember(paths), addresses }]
}

/** Who is let in by one must not get past another. */
function apart(pairs: readonly Step[], findings: Findings): Rule[] {
  const where = pairs.map((step) => pathsOf(step) ?? null)
  return pairs.flatMap((step, i) => {
    const meets = where.some((other, k) => k !== i && mayMeet(where[i] ?? null, other))
    if (meets || step.match.except.length > 0 || step.match.clients?.addresses.length === 0) {
      findings.unsupported(directivesOf(step), 'clients', SHUT)
      return [{ ...DENY, ...pathsMember(where[i] ?? null) }]
    }
    findings.different(directivesOf(step), 'forbidden', FORBIDDEN)
    const paths = pathsMember(where[i] ?? null)
    const addresses = step.match.clients?.addresses ?? []
    return [
      { action: 'allow', ...paths, addresses },
      { ...DENY, ...paths },
    ]
  })
}

/** Refused to who has not something that no rule of a node asks for. */
function shutRules(step: Step, findings: Findings): Rule[] {
  const { match } = step
  const status = statusOf(step) ?? 200
  const isGate = match.isGate || step.within.isGate
  if (status < 400 || status === 503 || !isGate || match.clients !== null) return []
  const within = { ...step.within, isOdd: false }
  const paths = pathsOf({ ...step, within, match: { ...match, isOdd: false, isForMethods: false } })
  findings.unsupported(directivesOf(step), 'shut', SHUT)
  return [{ ...DENY, ...pathsMember(paths ?? null) }]
}

const HIDDEN = 'Names that `hide` hides are answered with 403; Caddy says 404.'

/** Caddy hides by more than a name, too: by the whole path of a file on its disk. */
const SAID_BY_PATTERN =
  /^(\/[^/{}[\]\\\ue000\p{Cc}][^{}[\]\\\ue000\p{Cc}]{0,199}|[^/{}[\]\\\ue000\p{Cc}]{1,200})$/u
/** By every node. */
const HIDDEN_HERE = /^(\/|\*\*?\/)?\.[^/]*$/

function hidden(steps: readonly Step[], root: string, findings: Findings): Rule[] {
  const paths = steps.flatMap((step) => {
    const lines = step.name === 'file_server' ? (step.directive.block ?? []) : []
    return lines
      .filter(({ name }) => name === 'hide')
      .flatMap((line) => hiddenBy(line, root, findings))
      .flatMap((one) => both(pathsOf(step) ?? null, [one]) ?? [one])
  })
  const count = Math.ceil(paths.length / MOST_PATTERNS)
  return Array.from({ length: count }, (_, i) => ({
    ...DENY,
    paths: paths.slice(i * MOST_PATTERNS, (i + 1) * MOST_PATTERNS),
  }))
}

function hiddenBy(line: Directive, root: string, findings: Findings): string[] {
  const all = argsOf(line).map((one) => (one.startsWith(`${root}/`) ? one.slice(root.length) : one))
  const names = all.filter((one) => !HIDDEN_HERE.test(one))
  const good = names.filter((one) => SAID_BY_PATTERN.test(one))
  if (names.length === 0) findings.taken(line)
  else if (good.length === names.length) findings.different([line], 'forbidden', HIDDEN)
  else {
    const text = 'A name without "/" is hidden wherever it is; say others in sites[].access.'
    findings.unsupported([line], 'hide', text)
  }
  return good.flatMap((one) =>
    one.startsWith('/') ? [one, `${one}/**`] : [one, `/${one}/**`, `/**/${one}/**`],
  )
}

const NO_PASSWORDS =
  'A node asks for passwords by Basic, with hashes of bcrypt in a file. Until there is such a rule the draft shuts these paths to all.'
const WIDER =
  'A password is asked for before a path is looked for, and at all of these paths, also those that another block has.'

export function authOf(steps: readonly Step[], file: string, findings: Findings) {
  const asked = steps.filter(({ name }) => /^basic_?auth$/.test(name))
  const closed: Rule[] = []
  const auth = asked.flatMap((step) => {
    const { directive, args } = step
    const lines = directive.block ?? []
    const users = lines.map(({ name }) => name)
    const hashes = lines.map((one) => argsOf(one)[0] ?? '')
    const isHash = hashes.every((one) => /^\$2[aby]\$|^JDJ[a-zA-Z0-9+/=]+$/.test(one))
    const realm = args[1] ?? 'restricted'
    const paths = isOddMatch(step.match) ? undefined : pathsOf(step)
    const isGood = users.every((one) => /^[^:\s\ue000]{1,64}$/.test(one)) && users.length > 0
    const isBasic = (args[0] ?? 'bcrypt') === 'bcrypt' && /^[ !#-[\]-~]{1,128}$/.test(realm)
    if (!isHash || !isGood || !isBasic || paths === undefined || step.match.except.length > 0) {
      findings.unsupported([...directivesOf(step), ...lines], 'auth', NO_PASSWORDS)
      closed.push({ ...DENY, ...pathsMember(paths ?? step.within.paths) })
      return []
    }
    const text = `Write the users and their hashes as lines "name:hash" into ${file} on every node; a hash that begins with "JDJ" is base64 and is to be decoded first.`
    findings.different(lines, 'password-file', text)
    findings.different(directivesOf(step), 'auth-wider', WIDER)
    findings.different(directivesOf(step), 'password-hashes', PASSWORD_HASHES)
    const some = asked.length > 1 ? { users: users.slice(0, 1024) } : {}
    return [{ ...pathsMember(paths), realm, file, ...some }]
  })
  return { auth, closed }
}
