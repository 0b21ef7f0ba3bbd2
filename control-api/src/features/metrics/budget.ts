// SPDX-License-Identifier: MIT
// How fine an answer can be: every node's row of every step is read, so the more nodes, the coarser the steps.
import { defineError } from '../../api-shapes/errors.ts'
import { type Plan, planQuery, type Range, RINGS } from '../../metrics-store/rings.ts'

/** Some two seconds of the thread that reads them, with others' turns between. */
const MAX_ROWS = 200_000

export const TooMuchToRead = defineError(
  400,
  'too_much_to_read',
  'That is more than is read for one answer',
  (subjects: number, rows: number) =>
    `${subjects} nodes' measurements of that time are ${rows} rows, at most ${MAX_ROWS} are read. Ask for a shorter time or fewer nodes; of the farm, of groups and of versions there are sums.`,
)

export type Asked = { range: Range; stepSeconds: number | null; maxPoints: number }

/** `subjects`: of all sets together. */
export function planWithin(
  { range, stepSeconds, maxPoints }: Asked,
  subjects: number,
  nowSeconds: number,
): Plan {
  let plan = planQuery(range, stepSeconds, nowSeconds, maxPoints)
  for (const { resolutionSeconds } of RINGS) {
    if (rowsOf(plan, subjects) <= MAX_ROWS) return plan
    if (resolutionSeconds <= plan.resolutionSeconds) continue
    plan = planQuery(range, Math.max(plan.stepSeconds, resolutionSeconds), nowSeconds, maxPoints)
  }
  const rows = rowsOf(plan, subjects)
  if (rows > MAX_ROWS) throw new TooMuchToRead(subjects, rows)
  return plan
}

const rowsOf = ({ fromSeconds, toSeconds, resolutionSeconds }: Plan, subjects: number) =>
  subjects * Math.ceil((toSeconds - fromSeconds) / resolutionSeconds)
