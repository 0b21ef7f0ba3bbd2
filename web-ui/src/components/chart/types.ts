// SPDX-License-Identifier: MIT
import type { Scale } from './scale.ts'

/** Of the palette: --fs-series-1 and so on. */
export const seriesColours = [1, 2, 3, 4, 5, 6] as const
export type SeriesColour = (typeof seriesColours)[number]
export type Dash = 'solid' | 'dashed' | 'dotted'
/** Lengths of line and gap, in pixels. */
export const dashPatterns = { solid: [], dashed: [7, 4], dotted: [2, 3] } satisfies Record<
  Dash,
  number[]
>

export type Series = {
  name: string
  values: readonly (number | null)[]
  colour: SeriesColour
  /** Colour is never the only sign; a line without one is solid. */
  dash?: Dash
}
export type Mark = { atSeconds: number; text: string }
export type TimeChartProps = {
  label: string
  /** Unix seconds, the start of each step. */
  times: readonly number[]
  series: readonly Series[]
  format: (value: number | null) => string
  /** How many requests each step's values stand for; shown with them. */
  counts?: readonly (number | null)[]
  marks?: readonly Mark[]
  height?: number
  /** Linear when left out. A logarithmic scale has no zero and needs values above it. */
  scale?: Scale
  /** Where the scale ends when all values are smaller, so that noise does not look like news. */
  smallestTop?: number
}
