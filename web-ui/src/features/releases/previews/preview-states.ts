// SPDX-License-Identifier: MIT
import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { ReleasePreview } from '../../../lib/api-types.ts'

export const previewVerdicts = {
  shown: { label: t('Shown'), tone: 'good', shape: 'disc' },
  fetching: { label: t('Fetching'), tone: 'info', shape: 'half' },
  refused: { label: t('Refused'), tone: 'bad', shape: 'square' },
  away: { label: t('Node not connected'), tone: 'warn', shape: 'triangle' },
  unable: { label: t('Node too old'), tone: 'warn', shape: 'triangle' },
  'not-served': { label: t('Release not in its config'), tone: 'warn', shape: 'triangle' },
} as const satisfies Record<ReleasePreview['state'], Verdict>
