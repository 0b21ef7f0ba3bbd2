// SPDX-License-Identifier: MIT
// Counts of requests as cells: time by how long they took. Two rows are twice as long, so that there are few enough to read.
import { t } from '../../languages/t.ts'
import { formatSeconds } from '../../lib/format.ts'
import { type Cell, isoTime } from './csv.ts'

/** As the control plane has it: bucket i counts what took longer than 2^(i/bucketsPerOctave) seconds, up to the next one. */
export type HeatmapCounts = {
  /** Unix seconds, the start of each step. */
  times: readonly number[]
  stepSeconds: number
  bucketsPerOctave: number
  steps: readonly ({ zeroCount: number; firstBucket: number; counts: readonly number[] } | null)[]
}
export type Grid = {
  times: readonly number[]
  stepSeconds: number
  /** The lowest row's number; row r is what took longer than 2^(r/2) seconds, up to the next one. */
  lowest: number
  rows: number
  /** Counts by row, the lowest first; null: nothing was measured. */
  steps: readonly (readonly number[] | null)[]
  /** In the fullest cell. */
  most: number
}

const ROWS_PER_OCTAVE = 2
/** What is too short to be told from nothing: at most 2^-21 seconds. */
const SHORTEST_ROW = -21 * ROWS_PER_OCTAVE - 1

export const lowEnd = (row: number): number => 2 ** (row / ROWS_PER_OCTAVE)

/** The first row and the one after the last; of nothing both are the same. */
export type RowRange = { lowest: number; end: number }

/** Of each step what was counted in each row; null: nothing was measured. */
const summed = ({ bucketsPerOctave, steps }: HeatmapCounts): (Map<number, number> | null)[] =>
  steps.map((step) => {
    if (step === null) return null
    const sums = new Map<number, number>()
    const add = (row: number, count: number) => {
      if (count > 0) sums.set(row, (sums.get(row) ?? 0) + count)
    }
    add(SHORTEST_ROW, step.zeroCount)
    step.counts.forEach((count, i) => {
      const row = Math.floor(((step.firstBucket + i) * ROWS_PER_OCTAVE) / bucketsPerOctave)
      add(Math.max(SHORTEST_ROW, row), count)
    })
    return sums
  })

/** The rows that these need together. */
export function rowsOf(all: readonly HeatmapCounts[]): RowRange {
  const used = all.flatMap(summed).flatMap((sums) => (sums ? [...sums.keys()] : []))
  if (used.length === 0) return { lowest: 0, end: 0 }
  const [first = 0] = used
  const lowest = used.reduce((low, row) => Math.min(low, row), first)
  return { lowest, end: used.reduce((high, row) => Math.max(high, row), first) + 1 }
}

export function gridOf(counts: HeatmapCounts, { lowest, end } = rowsOf([counts])): Grid {
  const rows = end - lowest
  const steps = summed(counts).map(
    (sums) => sums && Array.from({ length: rows }, (_, row) => sums.get(lowest + row) ?? 0),
  )
  const most = steps.flat().reduce<number>((max, count) => Math.max(max, count ?? 0), 0)
  return { times: counts.times, stepSeconds: counts.stepSeconds, lowest, rows, steps, most }
}

/** "1.4 ms to 2 ms" */
export function rowWords({ lowest }: Pick<Grid, 'lowest'>, row: number): string {
  const high = formatSeconds(lowEnd(lowest + row + 1))
  return lowest + row <= SHORTEST_ROW
    ? t('up to {high}', { high })
    : t('{lowest} to {high}', { lowest: formatSeconds(lowEnd(lowest + row)), high })
}

/** How strong a cell's colour is, from 0 to 1: ten times as many are a step more, so that one of many is still seen. */
export const strength = (count: number, most: number): number =>
  count === 0 ? 0 : 0.15 + (0.85 * Math.log1p(count)) / Math.log1p(most)

/** The column of each row is named by how long it took at most, in seconds. */
export const gridRows = ({ times, lowest, rows, steps }: Grid): Cell[][] => [
  [
    'time',
    ...Array.from({ length: rows }, (_, row) =>
      t('up to {lowest} s', { lowest: lowEnd(lowest + row + 1) }),
    ),
  ],
  ...times.map((at, step) => [
    isoTime(at),
    ...Array.from({ length: rows }, (_, row) => steps[step]?.[row] ?? null),
  ]),
]

/** What times are labelled at: the shortest of these that leaves room for so many. */
const SPACINGS = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400]
const WEEK = 604_800

export function labelledTimes({ times, stepSeconds }: Grid, most: number): number[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const span = last + stepSeconds - first
  const spacing = SPACINGS.find((seconds) => span / seconds <= most) ?? WEEK
  const from = Math.ceil(first / spacing) * spacing
  const count = Math.max(0, Math.ceil((first + span - from) / spacing))
  return Array.from({ length: count }, (_, i) => from + i * spacing)
}

export type Place = { step: number; row: number }

/** Where an arrow key leads; undefined: it is another key. */
export function moved(
  { step, row }: Place,
  key: string,
  { times, rows }: Pick<Grid, 'times' | 'rows'>,
): Place | undefined {
  const last = times.length - 1
  const to = {
    ArrowLeft: { step: step - 1, row },
    ArrowRight: { step: step + 1, row },
    ArrowUp: { step, row: row + 1 },
    ArrowDown: { step, row: row - 1 },
    Home: { step: 0, row },
    End: { step: last, row },
  }[key]
  return (
    to && {
      step: Math.max(0, Math.min(last, to.step)),
      row: Math.max(0, Math.min(rows - 1, to.row)),
    }
  )
}
