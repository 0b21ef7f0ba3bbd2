// SPDX-License-Identifier: MIT
// What is shown of a managed certificate, decided without React.

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { CertificateOrder, ManagedCertificate } from '../../../lib/api-types.ts'
import { formatDateTime, formatDuration } from '../../../lib/time.ts'

export type ManagedState = ManagedCertificate['state']

/** In the order of the filter. */
export const MANAGED_STATES = ['waiting', 'ordering', 'issued', 'paused'] as const

const verdicts: Record<ManagedState, Verdict> = {
  waiting: { label: t('Waiting'), tone: 'warn', shape: 'triangle' },
  ordering: { label: t('Being ordered'), tone: 'info', shape: 'half' },
  issued: { label: t('Issued'), tone: 'good', shape: 'disc' },
  paused: { label: t('Paused'), tone: 'idle', shape: 'ring' },
}
export const managedVerdict = (state: ManagedState): Verdict => verdicts[state]

const orderVerdicts: Record<CertificateOrder['state'], Verdict> = {
  new: { label: t('Open'), tone: 'info', shape: 'half' },
  publishing: { label: t('Open'), tone: 'info', shape: 'half' },
  validating: { label: t('Open'), tone: 'info', shape: 'half' },
  finalizing: { label: t('Open'), tone: 'info', shape: 'half' },
  downloading: { label: t('Open'), tone: 'info', shape: 'half' },
  issued: { label: t('Issued'), tone: 'good', shape: 'disc' },
  failed: { label: t('Failed'), tone: 'bad', shape: 'square' },
  cancelled: { label: t('Cancelled'), tone: 'idle', shape: 'ring' },
}
export const orderVerdict = ({ state }: Pick<CertificateOrder, 'state'>) => orderVerdicts[state]

/** "now", or "in 3 h (23 Nov 2026, 04:10:00)". */
export function whenWords(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000
  return seconds < 5
    ? t('now')
    : t('in {seconds} ({at})', { seconds: formatDuration(seconds), at: formatDateTime(at) })
}

const actions = {
  order: t('Ordered'),
  renew: t('Renewed'),
  continue: t('The order goes on'),
} as const

/** What happens next and when, in a sentence; why is the control plane's to say. */
export function nextWords({ next }: Pick<ManagedCertificate, 'next'>, now: number): string {
  if (next.action === 'none') return t('Nothing is ordered automatically.')
  const when = next.at === null ? '' : ` ${whenWords(next.at, now)}`
  return `${actions[next.action]}${when}.`
}

/** Why that happens next, without the error that stands on the same page in full. */
export function whyWords({
  next: { because },
  order,
  lastError,
}: Pick<ManagedCertificate, 'next' | 'order' | 'lastError'>): string {
  const shown = [order?.lastError, order?.waitingFor?.reason, lastError?.message]
  const found = shown.find((words) => words && because.endsWith(words))
  const rest = because.slice(0, because.length - (found?.length ?? 0)).trim()
  return rest === '' ? '' : sentence(rest)
}

/** As a sentence: what comes from elsewhere often ends without a full stop. */
export const sentence = (words: string) => (/[.!?…]$/.test(words.trim()) ? words : `${words}.`)

/** Each step of an order, in the words of somebody who waits for it. */
const STEPS = [
  { state: 'new', label: t('Ask the authority for an order') },
  { state: 'publishing', label: t('Put the proof of each host in place') },
  { state: 'validating', label: t('The authority checks each host') },
  { state: 'finalizing', label: t('The authority signs the certificate') },
  { state: 'downloading', label: t('Fetch the certificate and check it') },
] as const satisfies { state: CertificateOrder['state']; label: string }[]

export type Step = { label: string; standing: 'done' | 'current' | 'ahead' }

export function stepsOf({ state }: Pick<CertificateOrder, 'state'>): Step[] {
  const at = STEPS.findIndex((step) => step.state === state)
  return STEPS.map(({ label }, index) => ({
    label,
    standing: index < at ? 'done' : index === at ? 'current' : 'ahead',
  }))
}

type Challenge = ManagedCertificate['challenge']

/** By what the error says; the first that fits. */
const ADVICE: [RegExp, string | Record<Challenge['type'], string>][] = [
  [
    /could not be rolled out/,
    t(
      'The new version itself is there. Its rollout is tried again each hour; you can also plan it below, where it says what brings the certificate to nodes.',
    ),
  ],
  [
    /rate.?limit|too many/i,
    t(
      'The authority limits how much it issues. It will be tried again automatically once the limit has passed; ordering sooner does not help. To try things out, use a staging authority.',
    ),
  ],
  [
    /error:caa|\bCAA\b/,
    t(
      'A CAA record in the domain’s DNS does not allow this authority. Add one that names it, or choose another authority.',
    ),
  ],
  [
    /externalAccount|external account/i,
    t(
      'The authority wants a key that ties this account to yours. Enter it in the settings, under certificate authorities.',
    ),
  ],
  [
    /rejectedIdentifier|unsupportedIdentifier/,
    t(
      'The authority does not issue for one of these hosts. Take that host off the list, or choose another authority.',
    ),
  ],
  [
    /could not be asked|no answer within/,
    t(
      'The authority cannot be reached. It will be tried again automatically, and the certificate in use stays in use. If this lasts, test the authority in the settings.',
    ),
  ],
  [
    /could not be set|could not be removed/,
    t('The program behind the DNS webhook did not set the record. Its own log says why.'),
  ],
  [
    /error:dns|NXDOMAIN|SERVFAIL|DNS problem/,
    {
      'http-01': t('Check that each host has an A or AAAA record and that it leads to your nodes.'),
      'dns-01': t(
        'Check that the name servers of the domain answer, and that _acme-challenge of each host is theirs to set.',
      ),
    },
  ],
  [
    /error:connection|timeout|refused|unreachable/i,
    {
      'http-01': t(
        'The authority could not reach the host on port 80. Check that its DNS leads to your nodes and that no firewall is in the way, or use DNS-01.',
      ),
      'dns-01': t('Check that the name servers of the domain can be reached from the internet.'),
    },
  ],
  [
    /error:unauthorized|error:incorrectResponse|Invalid response|incorrect/i,
    {
      'http-01': t(
        'Something other than your nodes answered for the host. Check all its A and AAAA records, and any proxy in front of it.',
      ),
      'dns-01': t(
        'The authority saw another TXT record than the right one. Check that the webhook adds the value on every name server of the domain.',
      ),
    },
  ],
]

const OTHERWISE = t(
  'It will be tried again automatically. If the message names something to put right, do that and order again.',
)

/** What to do about an error of an order. */
export function adviceFor(error: string, { type }: Pick<Challenge, 'type'>): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(error))?.[1] ?? OTHERWISE
  return typeof advice === 'string' ? advice : advice[type]
}

export type Blocked = { order: string | null; cancel: string | null }

/** Why a button is off, when the permission is there; null: it is on. */
export function blockedActions({
  order,
  paused,
}: Pick<ManagedCertificate, 'order' | 'paused'>): Blocked {
  const isOpen = t('An order is open already.')
  const isPaused = t('It is paused: resume it first.')
  return {
    order: order !== null ? isOpen : paused ? isPaused : null,
    cancel: order === null ? t('No order is open.') : null,
  }
}

export const keyNames: Record<ManagedCertificate['keyType'], string> = {
  'ecdsa-p256': 'ECDSA P-256',
  'rsa-2048': 'RSA 2048',
}

export const authorityWords = ({ name, profile }: { name: string; profile: string | null }) =>
  profile === null ? name : t('{name}, profile {profile}', { name, profile })

export const challengeWords = (challenge: Challenge): string =>
  challenge.type === 'http-01'
    ? t('HTTP-01: the nodes answer on port 80')
    : t('DNS-01, by the webhook {webhook}', { webhook: challenge.webhook })
