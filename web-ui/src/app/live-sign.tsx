// SPDX-License-Identifier: MIT

import { StatusBadge, type Verdict } from '../components/status-badge.tsx'
import { useLiveState } from '../hooks/live-state.ts'
import { t } from '../languages/t.ts'
import type { LiveState } from '../lib/live/live.ts'

const signs = {
  connecting: { label: t('Connecting'), tone: 'idle', shape: 'ring' },
  live: { label: t('Live'), tone: 'good', shape: 'disc' },
  polling: { label: t('Reconnecting, asking every 5 s'), tone: 'warn', shape: 'half' },
} satisfies Record<LiveState, Verdict>

export function LiveSign() {
  return (
    <span role="status" aria-label={t('Live updates')}>
      <StatusBadge verdict={signs[useLiveState()]} />
    </span>
  )
}
