// SPDX-License-Identifier: MIT
// How long requests took with the version and without it, for a picture beside the percentiles that are judged. As coarse as
// a picture can be read: two columns for each doubling. Pure.
import {
  type Histogram,
  MAX_INDEX,
  MIN_INDEX,
  quantile,
  SCALE,
} from '../../../histogram/histogram.ts'
import { HistogramSum } from '../../../histogram/sum.ts'
import type { Distribution } from '../shapes/schema.ts'
import { DISTRIBUTION_STAGES } from '../shapes/schema.ts'
import type { Group } from './gates.ts'

/** Buckets of a histogram in a column. */
const TOGETHER = 2 ** SCALE / 2
const columnOf = (bucket: number) => Math.floor(bucket / TOGETHER)
/** Its own lowest: what is counted as zero. */
const LOWEST = columnOf(MIN_INDEX) - 1
const COLUMNS = columnOf(MAX_INDEX) - LOWEST + 1

/** Marked in the picture: half of the requests are below the first, one of a hundred is above the second. */
const MARKED = [0.5, 0.99]

/** Of the stages that gates read; of one that either side has nothing of there is nothing to compare. */
export function distributionsOf(canary: Group, control: Group): Distribution[] {
  return DISTRIBUTION_STAGES.flatMap((stage) => {
    const ours = wholeOf(canary, stage)
    const theirs = wholeOf(control, stage)
    if (ours.count === 0 || theirs.count === 0) return []
    const [ourColumns, theirColumns] = [columnsOf(ours), columnsOf(theirs)]
    const first = Math.min(firstOf(ourColumns), firstOf(theirColumns))
    const end = Math.max(lastOf(ourColumns), lastOf(theirColumns)) + 1
    return [
      {
        ...{ stage, firstColumn: LOWEST + first },
        ...{ canary: ourColumns.slice(first, end), control: theirColumns.slice(first, end) },
        quantiles: MARKED.map((q) => ({
          ...{ q, canary: quantile(ours, q), control: quantile(theirs, q) },
        })),
      },
    ]
  })
}

function wholeOf({ samples }: Group, stage: Distribution['stage']): Histogram {
  const sum = new HistogramSum()
  for (const { stages } of samples) {
    const histogram = stages[stage]
    if (histogram) sum.add(histogram)
  }
  return sum.toHistogram()
}

function columnsOf({ zeroCount, offset, counts }: Histogram): number[] {
  const columns = new Array<number>(COLUMNS).fill(0)
  const count = (column: number, more: number) => {
    columns[column] = (columns[column] ?? 0) + more
  }
  count(0, zeroCount)
  for (const [i, n] of counts.entries()) count(columnOf(offset + i) - LOWEST, n)
  return columns
}

const firstOf = (columns: readonly number[]) => columns.findIndex((n) => n > 0)
const lastOf = (columns: readonly number[]) => columns.findLastIndex((n) => n > 0)
