// SPDX-License-Identifier: MIT
import {
  type Dash,
  type Series,
  type SeriesColour,
  seriesColours,
} from '../../components/chart/types.ts'
import type { MetricsSeries, Node } from '../../lib/api-types.ts'

/** More lines than this nobody can tell apart: each colour solid, then each dashed. */
export const MAX_LINES = 2 * seriesColours.length
/** The API answers about this many at a time. */
export const MAX_ASKED = 100

/** By id, so that another order is not another question. */
export const nodesToAsk = (nodes: readonly Pick<Node, 'id'>[]): string[] =>
  nodes
    .slice(0, MAX_ASKED)
    .map(({ id }) => id)
    .toSorted()

const worst = (one: MetricsSeries) =>
  Math.max(-1, ...one.p99Seconds.filter((value) => value !== null))

/** The nodes with the highest p99 in the range, by name, so that a line keeps its colour. */
export function p99Lines(measured: readonly MetricsSeries[]): Series[] {
  return measured
    .filter((one) => worst(one) >= 0)
    .toSorted((a, b) => worst(b) - worst(a))
    .slice(0, MAX_LINES)
    .toSorted((a, b) => a.nodeName.localeCompare(b.nodeName, 'en', { numeric: true }))
    .map((one, index) => ({ name: one.nodeName, values: one.p99Seconds, ...signs(index) }))
}

function signs(index: number): { colour: SeriesColour; dash: Dash } {
  const colour = seriesColours[index % seriesColours.length] ?? 1
  return { colour, dash: index < seriesColours.length ? 'solid' : 'dashed' }
}
