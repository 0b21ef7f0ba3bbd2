// SPDX-License-Identifier: MIT
// Who may come in: Require with what is around it, and Order, Allow and Deny of before 2.4, as rules of a node. What a node can't
// say is shut.
import type { Findings } from '../findings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { isAddress } from '../values.ts'
import { keyOf } from './parser.ts'

export type Entry = { action: 'allow' | 'deny'; addresses: readonly string[] | null }
/** `entries` end with one for all. */
export type Requirement = {
  entries: readonly Entry[]
  /** Who of the file's users; null: nobody is asked for a password. */
  users: readonly string[] | 'all' | null
  isAny: boolean
}
type Part =
  | { kind: 'granted' | 'denied' | 'unknown' }
  | { kind: 'addresses'; addresses: string[]; isNot: boolean }
  | { kind: 'users'; users: readonly string[] | 'all' }

const SHUT =
  'A node lets in by address and by password. Until its rule is written by hand the draft shuts these paths to all.'

const all = (action: Entry['action']): Entry => ({ action, addresses: null })
const some = (action: Entry['action'], addresses: readonly string[]): Entry => ({
  ...{ action, addresses },
})
export const GRANTED: Requirement = { entries: [all('allow')], users: null, isAny: false }
export const DENIED: Requirement = { entries: [all('deny')], users: null, isAny: false }

/** Of the Require lines and sections that stand beside each other. */
export function requirementOf(
  directives: readonly Directive[],
  findings: Findings,
  isAll = false,
): Requirement {
  const [only, second] = directives
  if (only?.block && !second && /^requirea(ll|ny)$/.test(keyOf(only))) {
    findings.taken(only)
    return requirementOf(only.block, findings, keyOf(only) === 'requireall')
  }
  const parts = directives.map((one) => partOf(one, findings))
  const isUnknown = parts.some(({ kind }) => kind === 'unknown')
  if (isUnknown) {
    const every = directives.flatMap((one) => [...everyDirective([one])])
    findings.unsupported(every, 'clients', SHUT)
  } else for (const one of directives) findings.taken(...everyDirective([one]))
  return isAll ? forAll(parts) : forAny(parts)
}

function forAny(parts: readonly Part[]): Requirement {
  if (parts.some(({ kind }) => kind === 'granted')) return GRANTED
  // One that is not understood lets nobody in.
  const addresses = parts.flatMap((one) =>
    one.kind === 'addresses' && !one.isNot ? one.addresses : [],
  )
  const asked = parts.flatMap((one) => (one.kind === 'users' ? [one.users] : []))
  const entries = addresses.length > 0 ? [some('allow', addresses), all('deny')] : [all('deny')]
  if (asked.length === 0) return { entries, users: null, isAny: false }
  const users = asked.includes('all') ? 'all' : asked.flat()
  return addresses.length > 0
    ? { entries, users, isAny: true }
    : { entries: [all('allow')], users, isAny: false }
}

function forAll(parts: readonly Part[]): Requirement {
  const lets = parts.flatMap((one) => (one.kind === 'addresses' && !one.isNot ? [one] : []))
  const asked = parts.flatMap((one) => (one.kind === 'users' ? [one.users] : []))
  const isShut = parts.some(({ kind }) => kind === 'denied' || kind === 'unknown')
  if (isShut || parts.length === 0 || lets.length > 1 || asked.length > 1) return DENIED
  const refused = parts.flatMap((one) =>
    one.kind === 'addresses' && one.isNot ? one.addresses : [],
  )
  const [only] = lets
  return {
    entries: [
      ...(refused.length > 0 ? [some('deny', refused)] : []),
      ...(only ? [some('allow', only.addresses), all('deny')] : [all('allow')]),
    ],
    ...{ users: asked[0] ?? null, isAny: false },
  }
}

function partOf(directive: Directive, findings: Findings): Part {
  const { block } = directive
  // A condition within a section of Require may hold what shuts.
  if (!/^require/.test(keyOf(directive))) return { kind: 'unknown' }
  if (block) return sectionPart(directive, block, findings)
  const words = argsOf(directive)
  const isNot = words[0]?.toLowerCase() === 'not'
  const [kind = '', ...values] = isNot ? words.slice(1) : words
  switch (kind.toLowerCase()) {
    case 'all':
      return { kind: (values[0]?.toLowerCase() === 'granted') !== isNot ? 'granted' : 'denied' }
    case 'ip': {
      const addresses = values.map(blockOf)
      const good = addresses.filter((one) => one !== null)
      return good.length === addresses.length && good.length > 0
        ? { kind: 'addresses', addresses: good, isNot }
        : { kind: 'unknown' }
    }
    case 'local':
      return { kind: 'addresses', addresses: ['127.0.0.0/8', '::1'], isNot }
    case 'valid-user':
      return isNot ? { kind: 'unknown' } : { kind: 'users', users: 'all' }
    case 'user':
      return isNot ||
        values.length === 0 ||
        !values.every((one) => /^[^:\s\p{Cc}]{1,64}$/u.test(one))
        ? { kind: 'unknown' }
        : { kind: 'users', users: values }
    case 'method':
      // What is not let in by GET is not let in at all here.
      if (isNot) return { kind: 'unknown' }
      return { kind: values.some((one) => /^get$/i.test(one)) ? 'granted' : 'denied' }
    default:
      return { kind: 'unknown' }
  }
}

/** A section that comes to no more than one part can be one. */
function sectionPart(directive: Directive, block: Directive[], findings: Findings): Part {
  const key = keyOf(directive)
  if (key === 'requirenone') {
    const parts = block.map((one) => partOf(one, findings))
    const addresses = parts.flatMap((one) =>
      one.kind === 'addresses' && !one.isNot ? one.addresses : [],
    )
    const isPlain = parts.every((one) => one.kind === 'addresses' && !one.isNot)
    return isPlain && parts.length > 0
      ? { kind: 'addresses', addresses, isNot: true }
      : { kind: 'unknown' }
  }
  const { entries, users, isAny } = requirementOf(block, findings, key === 'requireall')
  const [first, second, third] = entries
  if (third || isAny) return { kind: 'unknown' }
  if (users !== null)
    return second || first?.action !== 'allow' ? { kind: 'unknown' } : { kind: 'users', users }
  if (!second) return { kind: first?.action === 'allow' ? 'granted' : 'denied' }
  return {
    kind: 'addresses',
    addresses: [...(first?.addresses ?? [])],
    isNot: first?.action === 'deny',
  }
}

/** "10.1" is all that begins so; a mask may be written out. */
export function blockOf(text: string): string | null {
  if (isAddress(text)) return text
  const part = /^(\d{1,3}(?:\.\d{1,3}){0,2})\.?$/.exec(text)?.[1]
  if (part !== undefined) {
    const numbers = part.split('.')
    return `${[...numbers, '0', '0', '0'].slice(0, 4).join('.')}/${numbers.length * 8}`
  }
  const [address = '', mask = ''] = text.split('/')
  const isMask = /^\d{1,3}(\.\d{1,3}){3}$/.test(mask) && isAddress(address)
  if (!isMask) return null
  const bits = mask
    .split('.')
    .map((one) => Number(one).toString(2).padStart(8, '0'))
    .join('')
  return /^1*0*$/.test(bits) ? `${address}/${bits.replaceAll('0', '').length}` : null
}

/** Of Order, Allow and Deny; both must be passed, in the order that is said. */
export function olderRequirement(
  directives: readonly Directive[],
  isAny: boolean,
  findings: Findings,
): Requirement {
  const order = directives.findLast((one) => keyOf(one) === 'order')
  const isDenyLast = /^allow,deny$|^mutual-failure$/i.test(order ? argsOf(order).join('') : '')
  const of = (key: string) => directives.filter((one) => keyOf(one) === key)
  const [allowed, denied] = [of('allow'), of('deny')].map((list) => list.map(clientsOf))
  const isUnknown = [...(allowed ?? []), ...(denied ?? [])].some((one) => one === null)
  if (isUnknown) findings.unsupported(directives, 'clients', SHUT)
  else findings.taken(...directives)
  // Whom Deny may mean must not come in by what is not understood of it.
  if ((denied ?? []).includes(null)) return DENIED
  const allows = (allowed ?? []).flatMap((one) => one ?? [])
  const denies = (denied ?? []).flatMap((one) => one ?? [])
  const entriesOf = (action: Entry['action'], list: readonly string[]): Entry[] =>
    list.includes('all') ? [all(action)] : list.length > 0 ? [some(action, list)] : []
  const entries = isDenyLast
    ? [...entriesOf('deny', denies), ...entriesOf('allow', allows), all('deny')]
    : [...entriesOf('allow', allows), ...entriesOf('deny', denies), all('allow')]
  const end = entries.findIndex(({ addresses }) => addresses === null)
  return { entries: entries.slice(0, end + 1), users: null, isAny }
}

/** null: it goes by names, or by a variable. */
function clientsOf(directive: Directive): string[] | null {
  const [from = '', ...words] = argsOf(directive)
  if (from.toLowerCase() !== 'from' || words.length === 0) return null
  const clients = words.map((one) => (one.toLowerCase() === 'all' ? 'all' : blockOf(one)))
  const good = clients.filter((one) => one !== null)
  return good.length === clients.length ? good : null
}
