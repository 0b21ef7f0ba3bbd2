// SPDX-License-Identifier: MIT
// A chart's numbers as a file: exact, without units, times as ISO 8601.
import type { TimeChartProps } from './types.ts'

export type Cell = string | number | null

/** What a spreadsheet would take for a formula is made a text; quotes as RFC 4180 has them. */
function written(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')

export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** A gap is an empty cell: no data is never zero. */
export const seriesRows = ({ times, series, counts }: TimeChartProps): Cell[][] => [
  ['time', ...series.map(({ name }) => name), ...(counts ? ['requests'] : [])],
  ...times.map((at, step) => [
    isoTime(at),
    ...series.map(({ values }) => values[step] ?? null),
    ...(counts ? [counts[step] ?? null] : []),
  ]),
]
