// SPDX-License-Identifier: MIT
import { StatusBadge, type Verdict } from '../components/status-badge.tsx'
import { useLiveState } from '../hooks/live-state.ts'
import type { LiveState } from '../lib/live.ts'

const signs = {
  connecting: { label: 'Connecting', tone: 'idle', shape: 'ring' },
  live: { label: 'Live', tone: 'good', shape: 'disc' },
  polling: { label: 'Reconnecting, asking every 5 s', tone: 'warn', shape: 'half' },
} satisfies Record<LiveState, Verdict>

export function LiveSign() {
  return (
    <span role="status" aria-label="Live updates">
      <StatusBadge verdict={signs[useLiveState()]} />
    </span>
  )
}
