// SPDX-License-Identifier: MIT
// The form of an order, as it is filled in, and what is sent of it.
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { ConfigError, ManagedCertificate } from '../../../lib/api-types.ts'
import { refusalWords, whyNoName } from '../rules.ts'
import type { Wish } from './api.ts'
import { hostsTrouble, isWildcard, parseHosts } from './hosts.ts'

export type Draft = {
  name: string
  hostsText: string
  keyType: Wish['keyType']
  authorities: Wish['authorities']
  challenge: Wish['challenge']['type']
  /** Kept while HTTP-01 is chosen, so that choosing to and fro loses nothing. */
  webhook: string
  preferredChain: string
  rollOut: boolean
  /** Of a certificate that is there: the first order does not wait until it is to be renewed. */
  orderNow: boolean
}

/** `name`: of a certificate that is to be ordered from now on; '': of none yet. */
export const newDraft = (name: string, hosts: readonly string[]): Draft => ({
  name,
  hostsText: hosts.join('\n'),
  keyType: 'ecdsa-p256',
  authorities: [],
  challenge: hosts.some(isWildcard) ? 'dns-01' : 'http-01',
  webhook: '',
  preferredChain: '',
  rollOut: true,
  orderNow: false,
})

export const draftOf = (managed: ManagedCertificate): Draft => ({
  name: managed.name,
  hostsText: managed.names.join('\n'),
  keyType: managed.keyType,
  authorities: managed.authorities,
  challenge: managed.challenge.type,
  webhook: managed.challenge.type === 'dns-01' ? managed.challenge.webhook : '',
  preferredChain: managed.preferredChain ?? '',
  rollOut: managed.rollOut,
  orderNow: false,
})

export function wishOf(draft: Draft): Wish {
  const { keyType, authorities, challenge, webhook, rollOut } = draft
  return {
    names: parseHosts(draft.hostsText).hosts,
    ...{ keyType, authorities, rollOut },
    challenge: challenge === 'http-01' ? { type: challenge } : { type: challenge, webhook },
    preferredChain: draft.preferredChain.trim() || null,
  }
}

type Field = 'name' | 'hosts' | 'authorities' | 'webhook'
export type Troubles = Partial<Record<Field, string>>

/** What is wrong with it before anybody is asked, each at its field. */
export function troublesOf(draft: Draft): Troubles {
  const name = whyNoName(draft.name)
  const hosts = hostsTrouble(parseHosts(draft.hostsText), draft.challenge === 'http-01')
  return {
    ...(name !== null && { name }),
    ...(hosts !== null && { hosts }),
    ...(draft.authorities.length === 0 && { authorities: t('Choose at least one authority.') }),
    ...(draft.challenge === 'dns-01' &&
      draft.webhook === '' && { webhook: t('Choose the webhook that sets the DNS records.') }),
  }
}

/** Where the pointers of a refusal lead: each to the field that it is about. */
const FIELDS: [string, Field | 'keyType' | 'preferredChain'][] = [
  ['/name', 'name'],
  ['/names', 'hosts'],
  ['/authorities', 'authorities'],
  ['/challenge', 'webhook'],
  ['/keyType', 'keyType'],
  ['/preferredChain', 'preferredChain'],
]
export type Refusals = Partial<Record<(typeof FIELDS)[number][1], string>>

/** What the control plane refused, by field; `rest`: what no field is about. */
export function refusalsOf(
  error: unknown,
  sent: Pick<Wish, 'names'>,
): { at: Refusals; rest: readonly ConfigError[] } {
  const at: Refusals = {}
  const rest: ConfigError[] = []
  for (const one of isApiError(error) ? error.errors : []) {
    const field = FIELDS.find(
      ([pointer]) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`),
    )?.[1]
    if (field === undefined) {
      rest.push(one)
      continue
    }
    const host = field === 'hosts' ? sent.names[Number(one.pointer.split('/')[2])] : undefined
    const words = host === undefined ? refusalWords(one) : `${host}: ${refusalWords(one)}`
    at[field] = at[field] === undefined ? words : `${at[field]} ${words}`
  }
  return { at, rest }
}
