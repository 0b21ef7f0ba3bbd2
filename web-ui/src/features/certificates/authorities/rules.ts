// SPDX-License-Identifier: MIT

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { CertificateAuthority } from '../../../lib/api-types.ts'
import { refusalWords, whyNoName } from '../rules.ts'
import type { NewAuthority } from './api.ts'

const verdicts: Record<CertificateAuthority['state'], Verdict> = {
  unregistered: { label: t('No account yet'), tone: 'idle', shape: 'ring' },
  ready: { label: t('Ready'), tone: 'good', shape: 'disc' },
  held: { label: t('Waiting'), tone: 'warn', shape: 'triangle' },
}
export const authorityVerdict = ({ state }: Pick<CertificateAuthority, 'state'>) => verdicts[state]

export type Preset = {
  id: string
  label: string
  directoryUrl: string
  /** Where its terms of service are; null: only a test of it says so. */
  terms: string | null
  /** How one comes by the key of an external account; null: it wants none. */
  externalAccount: string | null
  about: string
}

/** Public authorities by their directories, as each documents it. */
export const PRESETS = [
  {
    id: 'lets-encrypt',
    label: t('Let’s Encrypt'),
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    terms: 'https://letsencrypt.org/repository/',
    externalAccount: null,
    about: t('Free, without an account of yours there.'),
  },
  {
    id: 'lets-encrypt-staging',
    label: t('Let’s Encrypt staging'),
    directoryUrl: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    terms: 'https://letsencrypt.org/repository/',
    externalAccount: null,
    about: t('For trying things out: high limits, and browsers do not trust its certificates.'),
  },
  {
    id: 'zerossl',
    label: 'ZeroSSL',
    directoryUrl: 'https://acme.zerossl.com/v2/DV90',
    terms: 'https://zerossl.com/terms/',
    externalAccount: t('ZeroSSL shows it in your account there, under Developer, EAB credentials.'),
    about: t('Free, with an account there.'),
  },
  {
    id: 'google-trust-services',
    label: t('Google Trust Services'),
    directoryUrl: 'https://dv.acme-v02.api.pki.goog/directory',
    terms: 'https://pki.goog/repository/',
    externalAccount: t(
      'Google makes it with “gcloud publicca external-account-keys create”; it is good for seven days.',
    ),
    about: t('Free, with a Google Cloud project.'),
  },
  {
    id: 'another',
    label: t('Another'),
    directoryUrl: '',
    terms: null,
    externalAccount: t('Only if the authority wants one. It tells you the two values.'),
    about: t('Any authority that speaks ACME (RFC 8555), also one of your own.'),
  },
] as const satisfies Preset[]

export type AuthorityDraft = {
  name: string
  directoryUrl: string
  contact: string
  trustedRoots: string
  keyId: string
  hmacKey: string
  agreed: boolean
}
export const draftFor = ({ id, directoryUrl }: Preset): AuthorityDraft => ({
  ...{ name: id === 'another' ? '' : id, directoryUrl, contact: '', trustedRoots: '' },
  ...{ keyId: '', hmacKey: '', agreed: false },
})

/** As typed, with blanks or commas between. */
export const parseContact = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((one) => one.replace(/^mailto:/i, ''))
    .filter((one) => one !== '')

export type AuthorityField =
  | 'name'
  | 'directoryUrl'
  | 'contact'
  | 'trustedRoots'
  | 'externalAccount'
  | 'termsOfServiceAgreed'
export type AuthorityTroubles = Partial<Record<AuthorityField, string>>

const MAIL = /^[^\s@]+@[^\s@]+$/

/** What is wrong with what both a new one and a changed one have. */
export function accountTroubles(
  draft: Pick<AuthorityDraft, 'contact' | 'keyId' | 'hmacKey'>,
): AuthorityTroubles {
  const noMail = parseContact(draft.contact).find((one) => !MAIL.test(one))
  const isHalf = (draft.keyId.trim() === '') !== (draft.hmacKey.trim() === '')
  return {
    ...(noMail !== undefined && { contact: t('{noMail} is not an e-mail address.', { noMail }) }),
    ...(isHalf && { externalAccount: t('The key id and the key belong together: enter both.') }),
  }
}

export function authorityTroubles(draft: AuthorityDraft, needsAccount: boolean): AuthorityTroubles {
  const name = whyNoName(draft.name)
  const url = URL.parse(draft.directoryUrl.trim())
  return {
    ...(name !== null && { name }),
    ...(url?.protocol !== 'https:' && {
      directoryUrl: t('An address as in https://acme.example.org/directory.'),
    }),
    ...(needsAccount &&
      draft.keyId.trim() === '' && { externalAccount: t('This authority wants both values.') }),
    ...accountTroubles(draft),
    ...(!draft.agreed && { termsOfServiceAgreed: t('It takes no account without this.') }),
  }
}

export const externalAccountOf = ({ keyId, hmacKey }: Pick<AuthorityDraft, 'keyId' | 'hmacKey'>) =>
  keyId.trim() === '' ? null : { keyId: keyId.trim(), hmacKey: hmacKey.trim() }

export function authorityOf(draft: AuthorityDraft): NewAuthority {
  const externalAccount = externalAccountOf(draft)
  return {
    name: draft.name,
    directoryUrl: draft.directoryUrl.trim(),
    contact: parseContact(draft.contact),
    ...(draft.trustedRoots.trim() !== '' && { trustedRoots: draft.trustedRoots }),
    ...(externalAccount !== null && { externalAccount }),
    termsOfServiceAgreed: true,
  }
}

const FIELDS: AuthorityField[] = [
  'name',
  'directoryUrl',
  'contact',
  'trustedRoots',
  'externalAccount',
  'termsOfServiceAgreed',
]

/** What the control plane refused, by field. */
export function authorityRefusals(error: unknown): AuthorityTroubles {
  const at: AuthorityTroubles = {}
  for (const one of isApiError(error) ? error.errors : []) {
    const field = FIELDS.find((name) => one.pointer.split('/')[1] === name)
    if (field !== undefined) at[field] ??= refusalWords(one)
  }
  return at
}
