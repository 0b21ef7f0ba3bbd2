// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Webhook, WebhookDelivery } from '../../lib/api-types.ts'

type Standing = Pick<Webhook, 'disabledAt' | 'failingSince'>

export function webhookVerdict({ disabledAt, failingSince }: Standing): Verdict {
  if (disabledAt !== null) return { label: t('Disabled'), tone: 'idle', shape: 'ring' }
  if (failingSince !== null) return { label: t('Failing'), tone: 'bad', shape: 'square' }
  return { label: t('Works'), tone: 'good', shape: 'disc' }
}

export const deliveryVerdict = ({ delivered }: Pick<WebhookDelivery, 'delivered'>): Verdict =>
  delivered
    ? { label: t('Delivered'), tone: 'good', shape: 'disc' }
    : { label: t('Failed'), tone: 'bad', shape: 'square' }

/** What Node and the system call it, and what it means. */
const FAILURES: [RegExp, string][] = [
  [/\bENOTFOUND\b/, t('No machine has this name')],
  [/\bEAI_AGAIN\b/, t('The name could not be looked up just now')],
  [/\bECONNREFUSED\b/, t('Nothing listens there')],
  [/\bECONNRESET\b|socket hang up/, t('It closed the connection without an answer')],
  [/\b(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)\b/, t('It could not be reached in time')],
  [/\b(EHOSTUNREACH|ENETUNREACH)\b/, t('No way leads there from this machine')],
  [/\bCERT_HAS_EXPIRED\b/, t('Its certificate has expired')],
  [
    /\b(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\b/,
    t('Its certificate is self-signed'),
  ],
]

/** In words, and as it was said, to search for. */
export function failureWords(error: string): string {
  const words = FAILURES.find(([pattern]) => pattern.test(error))?.[1]
  return words === undefined ? error : `${words} (${error})`
}

const PATTERN = /^(\*|[a-z]+(\.(\*|[a-z0-9-]+))?)$/
type Parsed = { ok: true; events: string[] } | { ok: false; message: string }

/** As typed, with blanks or commas between. */
export function parseEvents(text: string): Parsed {
  const events = text.split(/[\s,]+/).filter((one) => one !== '')
  if (events.length === 0) return { ok: false, message: t('Name at least one; * is every event.') }
  const wrong = events.find((one) => !PATTERN.test(one))
  if (wrong === undefined) return { ok: true, events }
  return {
    ok: false,
    message: t('"{wrong}" is no kind (rollout) and no event (node.disconnected).', { wrong }),
  }
}

export function urlTrouble(text: string): string | null {
  const url = URL.parse(text.trim())
  if (url !== null && /^(https?|mailto):$/.test(url.protocol)) return null
  return t('An address as in https://hooks.example.org/farmstead or mailto:ops@example.org.')
}
