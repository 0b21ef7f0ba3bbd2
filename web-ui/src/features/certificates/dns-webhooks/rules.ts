// SPDX-License-Identifier: MIT

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { DnsWebhook } from '../../../lib/api-types.ts'
import { refusalWords, whyNoName } from '../rules.ts'

export const dnsWebhookVerdict = ({ lastError }: Pick<DnsWebhook, 'lastError'>): Verdict =>
  lastError === null
    ? { label: t('No failure'), tone: 'good', shape: 'disc' }
    : { label: t('Failed last'), tone: 'bad', shape: 'square' }

export type DnsTroubles = { name?: string; url?: string }

export function dnsTroubles({ name, url }: { name: string; url: string }): DnsTroubles {
  const noName = whyNoName(name)
  const parsed = URL.parse(url.trim())
  const isWeb = parsed !== null && /^https?:$/.test(parsed.protocol)
  return {
    ...(noName !== null && { name: noName }),
    ...(!isWeb && { url: t('An address as in https://dns.example.org/farmstead.') }),
  }
}

/** What the control plane refused, by field. */
export function dnsRefusals(error: unknown): DnsTroubles {
  const errors = isApiError(error) ? error.errors : []
  const at = (pointer: string) => {
    const found = errors.find((one) => one.pointer === pointer)
    return found && refusalWords(found)
  }
  const [name, url] = [at('/name'), at('/url')]
  return { ...(name !== undefined && { name }), ...(url !== undefined && { url }) }
}
