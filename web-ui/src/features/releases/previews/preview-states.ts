// SPDX-License-Identifier: MIT
import type { Verdict } from '../../../components/status-badge.tsx'
import type { ReleasePreview } from '../../../lib/api-types.ts'

export const previewVerdicts = {
  shown: { label: 'Shown', tone: 'good', shape: 'disc' },
  fetching: { label: 'Fetching', tone: 'info', shape: 'half' },
  refused: { label: 'Refused', tone: 'bad', shape: 'square' },
  away: { label: 'Node not connected', tone: 'warn', shape: 'triangle' },
  unable: { label: 'Node too old', tone: 'warn', shape: 'triangle' },
  'not-served': { label: 'Release not in its config', tone: 'warn', shape: 'triangle' },
} as const satisfies Record<ReleasePreview['state'], Verdict>
