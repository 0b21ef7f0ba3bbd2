// SPDX-License-Identifier: MIT
// Where the parts of a strip are: a gate's evidence on one scale, with its limit. Pure.
import type { Evidence } from '../../lib/api-types.ts'
import { isShare } from './rules.ts'

type Gate = Evidence['gates'][number]
/** Each a share of the width, from 0 to 1. */
export type Strip = {
  /** No difference: the others' own value. */
  same: number
  limit: number
  value: number
  from: number
  to: number
}

/** Room beside the outermost mark. */
const MARGIN = 0.08

/** null: nothing was concluded, so there is nothing to draw. */
export function stripOf({ metric, max, value, low, high }: Gate): Strip | null {
  if (value === null || low === null || high === null) return null
  // Times as many are as far apart as ratios are: twice and half are the same step.
  const isRatio = !isShare(metric)
  const same = isRatio ? 1 : 0
  const marks = [same, max, value, low, high]
  const smallest = Math.min(...marks.filter((one) => one > 0), 1) / 10
  const at = isRatio ? (one: number) => Math.log(Math.max(one, smallest)) : (one: number) => one
  const [first, last] = [Math.min(...marks.map(at)), Math.max(...marks.map(at))]
  const width = last - first || 1
  const place = (one: number) => MARGIN + ((at(one) - first) / width) * (1 - 2 * MARGIN)
  return {
    same: place(same),
    limit: place(max),
    value: place(value),
    from: place(low),
    to: place(high),
  }
}
