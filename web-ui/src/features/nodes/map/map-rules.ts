// SPDX-License-Identifier: MIT
// By what the map of nodes is coloured, and what each colour stands for. Pure.

import type { CellLook } from '../../../components/cells/cells-picture.tsx'
import { shapePaths } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { NodeCells } from '../../../lib/api-types.ts'
import {
  DASH,
  type Format,
  formatByteRate,
  formatCount,
  formatRate,
  formatRatio,
  formatSeconds,
} from '../../../lib/format.ts'
import { syncStates, syncVerdict } from '../rules.ts'

type Measure = { label: string; by: string; format: Format }
const counted: Format = (value) => (value == null ? DASH : formatCount(value))

/** `by`: as GET /nodes/cells calls it. */
export const measures = {
  p99: { label: t('99 % of requests within'), by: 'quantile:total:0.99', format: formatSeconds },
  p50: { label: t('Half of requests within'), by: 'quantile:total:0.5', format: formatSeconds },
  requests: { label: t('Requests per second'), by: 'rate:requests', format: formatRate },
  sent: { label: t('Sent'), by: 'rate:bytesSent', format: formatByteRate },
  errors: { label: t('Share of 5xx'), by: 'share:responses5xx', format: formatRatio },
  clientErrors: { label: t('Share of 4xx'), by: 'share:responses4xx', format: formatRatio },
  cache: { label: t('Cache hits per request'), by: 'share:cacheHits', format: formatRatio },
  connections: { label: t('Open connections'), by: 'gauge:openConnections', format: counted },
  readQueue: { label: t('Reads waiting'), by: 'gauge:readQueue', format: formatRate },
  readBusy: { label: t('Read threads at work'), by: 'gauge:readBusy', format: formatRate },
} satisfies Record<string, Measure>
export type MeasureKey = keyof typeof measures
export const isMeasure = (value: unknown): value is MeasureKey =>
  typeof value === 'string' && Object.hasOwn(measures, value)

export function lookOfState(kind: string): CellLook {
  const state = syncStates.find((one) => one === kind) ?? 'waiting'
  const { tone, shape } = syncVerdict[state]
  return { colour: `--fs-${tone}`, paths: shapePaths[shape] }
}

const FIRST_LETTER = 'a'.charCodeAt(0)

/** Of each cell the place of the rollout that has come to it; null: none has. */
export const touchesOf = ({ rollouts }: NodeCells): (number | null)[] =>
  Array.from(rollouts?.cells ?? '', (letter) =>
    letter === '.' ? null : letter.charCodeAt(0) - FIRST_LETTER,
  )

const FRAMED = 'framed '
const FRAME = 'M.9.9h10.2v10.2H.9z'

/** Whom a rollout has come to is framed, whatever else the cell shows. */
export const framed = (kind: string, touch: number | null | undefined): string =>
  touch === null || touch === undefined ? kind : FRAMED + kind

export const framedLook =
  (lookOf: (kind: string) => CellLook) =>
  (kind: string): CellLook => {
    if (!kind.startsWith(FRAMED)) return lookOf(kind)
    const { colour, paths } = lookOf(kind.slice(FRAMED.length))
    return { colour, paths: { ...paths, line: (paths.line ?? '') + FRAME } }
  }

/** In the legend, where it stands for no state. */
export const FRAME_ALONE: CellLook = { colour: '--fs-text', paths: { line: FRAME } }

export function touchWords({ rollouts }: NodeCells, touch: number | null | undefined): string[] {
  const by = rollouts?.named[touch ?? -1]
  return by === undefined
    ? []
    : [t('{config} v{version} has come to it', { config: by.config, version: by.version })]
}

/** So many parts have a picture of their own: of a label that each node has another value of there would be thousands. */
const MOST_PARTS = 40

/** The last of them holds all that come after. */
export function partsDrawn<Of extends { title: string; nodes: number }>(
  parts: readonly Of[],
): readonly { title: string; nodes: number }[] {
  if (parts.length <= MOST_PARTS) return parts
  const rest = parts.slice(MOST_PARTS - 1)
  const nodes = rest.reduce((sum, part) => sum + part.nodes, 0)
  return [
    ...parts.slice(0, MOST_PARTS - 1),
    { title: t('{rest} others', { rest: formatCount(rest.length) }), nodes },
  ]
}

export function titleOf(part: NodeCells['parts'][number], label: string | undefined): string {
  if (part.name === null) return t('Without {label}', { label: label ?? t('a group') })
  return label === undefined ? part.name : `${label}=${part.name}`
}
