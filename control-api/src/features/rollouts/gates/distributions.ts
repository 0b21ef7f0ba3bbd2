// SPDX-License-Identifier: MIT
// How long requests took with the version and without it, for a picture beside the percentiles that are judged. As coarse as
// a picture can be read: two columns for each doubling. Pure.
import { MAX_INDEX, MIN_INDEX, SCALE } from '../../../histogram/histogram.ts'
import type { Distribution } from '../shapes/schema.ts'
import { DISTRIBUTION_STAGES } from '../shapes/schema.ts'
import type { Group } from './gates.ts'

/** Buckets of a histogram in a column. */
const TOGETHER = 2 ** SCALE / 2
const columnOf = (bucket: number) => Math.floor(bucket / TOGETHER)
/** Its own lowest: what is counted as zero. */
const LOWEST = columnOf(MIN_INDEX) - 1
const COLUMNS = columnOf(MAX_INDEX) - LOWEST + 1

/** Of the stages that gates read; of one that either side has nothing of there is nothing to compare. */
export function distributionsOf(canary: Group, control: Group): Distribution[] {
  return DISTRIBUTION_STAGES.flatMap((stage) => {
    const ours = columnsOf(canary, stage)
    const theirs = columnsOf(control, stage)
    const first = Math.min(firstOf(ours), firstOf(theirs))
    if (firstOf(ours) === COLUMNS || firstOf(theirs) === COLUMNS) return []
    const end = Math.max(lastOf(ours), lastOf(theirs)) + 1
    return [
      {
        ...{ stage, firstColumn: LOWEST + first },
        ...{ canary: ours.slice(first, end), control: theirs.slice(first, end) },
      },
    ]
  })
}

function columnsOf({ samples }: Group, stage: Distribution['stage']): number[] {
  const columns = new Array<number>(COLUMNS).fill(0)
  const count = (column: number, more: number) => {
    columns[column] = (columns[column] ?? 0) + more
  }
  for (const { stages } of samples) {
    const histogram = stages[stage]
    if (!histogram) continue
    count(0, histogram.zeroCount)
    for (const [i, n] of histogram.counts.entries()) {
      count(columnOf(histogram.offset + i) - LOWEST, n)
    }
  }
  return columns
}

function firstOf(columns: readonly number[]): number {
  const first = columns.findIndex((n) => n > 0)
  return first === -1 ? COLUMNS : first
}
const lastOf = (columns: readonly number[]) => columns.findLastIndex((n) => n > 0)
