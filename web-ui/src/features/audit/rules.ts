// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { AuditDetail, AuditEntry, AuditVerification } from '../../lib/api-types.ts'
import { eventKinds } from '../../lib/live/live.ts'

/** What the audit speaks of: new measurements are told of, and kept nowhere. */
export const auditKinds = eventKinds.filter((kind) => kind !== 'metrics')

/** "draft-changed" reads as words. */
export const actionText = ({ kind, action }: Pick<AuditEntry, 'kind' | 'action'>) =>
  `${kind} ${action.replaceAll('-', ' ')}`

export const verificationVerdict = {
  never: { label: t('Not verified yet'), tone: 'idle', shape: 'ring' },
  running: { label: t('Being verified'), tone: 'info', shape: 'half' },
  whole: { label: t('Whole'), tone: 'good', shape: 'disc' },
  broken: { label: t('Broken'), tone: 'bad', shape: 'square' },
} satisfies Record<AuditVerification['state'], Verdict>

export type Change = { before: string; after: string }

/** Of a change what was and what is, as texts to compare; null: it says no such thing. */
export function changeOf({ data }: Pick<AuditDetail, 'data'>): Change | null {
  if (!('before' in data) && !('after' in data)) return null
  return { before: lines(data.before), after: lines(data.after) }
}

/** The details besides. */
export function restOf({ data }: Pick<AuditDetail, 'data'>): Record<string, unknown> {
  const { before: _before, after: _after, ...rest } = data
  return rest
}

const lines = (value: unknown) =>
  value === undefined || value === null ? '' : `${JSON.stringify(value, null, 2)}\n`
