// SPDX-License-Identifier: MIT
import type { Format } from '../../lib/format.ts'
import type { Scale } from './scale.ts'

/** Of the palette: --fs-series-1 and so on. */
export const seriesColours = [1, 2, 3, 4, 5, 6] as const
export type SeriesColour = (typeof seriesColours)[number]
export const seriesColour = (colour: SeriesColour) => `--fs-series-${colour}`
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
/** Something that happened to the farm. Each kind is drawn in a colour and a shape of its own. */
export type Mark = {
  atSeconds: number
  text: string
  kind?: 'rollout' | 'alert' | 'version' | 'person'
}
export type TimeChartProps = {
  label: string
  /** Unix seconds, the start of each step. */
  times: readonly number[]
  series: readonly Series[]
  format: Format
  /** How many requests each step's values stand for; shown with them. */
  counts?: readonly (number | null)[]
  marks?: readonly Mark[]
  height?: number
  /** The series are parts of a whole: drawn on top of each other, the first at the bottom. */
  stacked?: boolean
  /** Charts of one name have their cursors at the same time; their page lists the marks once. */
  group?: string
  /** A range was chosen, by drag or by key. Left out: none can be. */
  onZoom?: ((fromSeconds: number, toSeconds: number) => void) | undefined
  /** Linear when left out. A logarithmic scale has no zero and needs values above it. */
  scale?: Scale
  /** Where the scale ends when all values are smaller, so that noise does not look like news. */
  smallestTop?: number
}
