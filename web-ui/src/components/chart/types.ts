// SPDX-License-Identifier: MIT

export type Series = {
  name: string
  values: readonly (number | null)[]
  /** Which colour of the palette: 1 to 4. */
  colour: 1 | 2 | 3 | 4
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
  /** Where the scale ends when all values are smaller, so that noise does not look like news. */
  smallestTop?: number
}
