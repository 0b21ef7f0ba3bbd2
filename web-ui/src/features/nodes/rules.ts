// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { ConfigIdentity, Node, SyncState } from '../../lib/api-types.ts'

export const syncVerdict = {
  'in-sync': { label: t('In sync'), tone: 'good', shape: 'disc' },
  applying: { label: t('Applying'), tone: 'info', shape: 'half' },
  'out-of-sync': { label: t('Out of sync'), tone: 'bad', shape: 'square' },
  drift: { label: t('Drift'), tone: 'warn', shape: 'diamond' },
  unknown: { label: t('Unknown'), tone: 'warn', shape: 'ring' },
  waiting: { label: t('Waiting'), tone: 'idle', shape: 'ring' },
} satisfies Record<SyncState, Verdict>

/** Worst first: what an operator looks for. */
export const syncStates: readonly SyncState[] = [
  ...(['out-of-sync', 'drift', 'unknown', 'applying', 'waiting', 'in-sync'] as const),
]

export type ThreeDigests = {
  name: 'desired' | 'acked' | 'effective'
  identity: ConfigIdentity | null
}[]

/** The three that must agree; one line when they do. */
export function digestsToShow(sync: Node['sync']): ThreeDigests {
  const { desired, acknowledged, effective } = sync
  const agree =
    desired !== null &&
    desired.digest === acknowledged?.digest &&
    desired.digest === effective?.digest
  if (agree) return [{ name: 'effective', identity: effective }]
  return [
    { name: 'desired', identity: desired },
    { name: 'acked', identity: acknowledged },
    { name: 'effective', identity: effective },
  ]
}

/** Why there is no percentile to show. */
export function whyNoLatency(node: Node): string | null {
  if (node.latency.p99Seconds !== null) return null
  if (!node.connected) return t('not connected')
  return node.latency.requests === 0 ? t('no requests') : t('no data')
}

/** Of no requests there is no share; whyNoLatency, shown beside it, says so. */
export function errorRatio({ latency }: Pick<Node, 'latency'>): number | null {
  return latency.requests === 0 ? null : latency.errorRatio
}

/** 404 among them: a node that answers 404 to everything is fast, and serves nothing. */
export function clientErrorRatio({ latency }: Pick<Node, 'latency'>): number | null {
  return latency.requests === 0 ? null : latency.clientErrorRatio
}

/** Of the 4xx those that nothing else explains; null: there are none. */
export function notFoundRatio({ latency }: Pick<Node, 'latency'>): number | null {
  return latency.requests === 0 || latency.notFoundRatio === 0 ? null : latency.notFoundRatio
}
