// SPDX-License-Identifier: MIT
import { isScale, type Scale } from '../../components/chart/scale.ts'
import type { Stage } from '../../lib/api-types.ts'

/** Steps that give a chart one to two hundred points. */
export const ranges = {
  '15m': { label: '15 min', rangeSeconds: 900, stepSeconds: 10 },
  '1h': { label: '1 h', rangeSeconds: 3600, stepSeconds: 30 },
  '6h': { label: '6 h', rangeSeconds: 21_600, stepSeconds: 120 },
  '24h': { label: '24 h', rangeSeconds: 86_400, stepSeconds: 600 },
  '7d': { label: '7 d', rangeSeconds: 604_800, stepSeconds: 3600 },
} as const
export type RangeKey = keyof typeof ranges

/** In the order they happen in a request, the whole first. */
export const stages = {
  total: { label: 'Total', help: 'From the last byte of the request to the last byte sent.' },
  firstByte: {
    label: 'First byte',
    help: 'From the last byte of the request to the first byte sent.',
  },
  statWait: { label: 'Look-up wait', help: 'Look-ups queued until a stat thread took them.' },
  stat: { label: 'Look-up', help: 'Opening and examining files on the stat threads.' },
  readWait: { label: 'Read wait', help: 'Reads queued until a read thread took them.' },
  handshake: { label: 'TLS handshake', help: 'From a handshake’s first bytes to its end.' },
  read: { label: 'Read', help: 'Reading from disk on the read threads.' },
  write: { label: 'Write', help: 'From the first byte given to the socket to the last.' },
} satisfies Record<Stage, { label: string; help: string }>

export type NodeSearch = {
  range?: RangeKey | undefined
  stage?: Stage | undefined
  scale?: Scale | undefined
}

export const isRange = (value: unknown): value is RangeKey =>
  typeof value === 'string' && Object.hasOwn(ranges, value)
export const isStage = (value: unknown): value is Stage =>
  typeof value === 'string' && Object.hasOwn(stages, value)

export function parseNodeSearch(search: Record<string, unknown>): NodeSearch {
  const parsed: NodeSearch = {}
  if (isRange(search.range)) parsed.range = search.range
  if (isStage(search.stage)) parsed.stage = search.stage
  if (isScale(search.scale)) parsed.scale = search.scale
  return parsed
}
