// SPDX-License-Identifier: MIT
import type { Verdict } from '../../components/status-badge.tsx'
import type { Webhook, WebhookDelivery } from '../../lib/api-types.ts'

type Standing = Pick<Webhook, 'disabledAt' | 'failingSince'>

export function webhookVerdict({ disabledAt, failingSince }: Standing): Verdict {
  if (disabledAt !== null) return { label: 'Disabled', tone: 'idle', shape: 'ring' }
  if (failingSince !== null) return { label: 'Failing', tone: 'bad', shape: 'square' }
  return { label: 'Works', tone: 'good', shape: 'disc' }
}

export const deliveryVerdict = ({ delivered }: Pick<WebhookDelivery, 'delivered'>): Verdict =>
  delivered
    ? { label: 'Delivered', tone: 'good', shape: 'disc' }
    : { label: 'Failed', tone: 'bad', shape: 'square' }

const PATTERN = /^(\*|[a-z]+(\.(\*|[a-z0-9-]+))?)$/
type Parsed = { ok: true; events: string[] } | { ok: false; message: string }

/** As typed, with blanks or commas between. */
export function parseEvents(text: string): Parsed {
  const events = text.split(/[\s,]+/).filter((one) => one !== '')
  if (events.length === 0) return { ok: false, message: 'Name at least one; * is every event.' }
  const wrong = events.find((one) => !PATTERN.test(one))
  if (wrong === undefined) return { ok: true, events }
  return { ok: false, message: `"${wrong}" is no kind (rollout) and no event (node.disconnected).` }
}

export function urlTrouble(text: string): string | null {
  const url = URL.parse(text.trim())
  if (url !== null && /^https?:$/.test(url.protocol)) return null
  return 'An address as in https://hooks.example.org/farmstead.'
}
