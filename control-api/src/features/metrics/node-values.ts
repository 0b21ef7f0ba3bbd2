// SPDX-License-Identifier: MIT
// One measurement of each of many nodes over a time.

import { EmptyRange, rangeOf } from '../../metrics-store/asked-range.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { MAX_POINTS } from '../../metrics-store/rings.ts'
import { planWithin, TooMuchToRead } from './budget.ts'
import { measureIn, UnknownStage } from './set-routes.ts'

type Deps = {
  now: () => number
  metrics: Pick<MetricsStore, 'values'>
}

export const NODE_VALUES_ERRORS = [TooMuchToRead, EmptyRange, UnknownStage]

/** In the order of the nodes; null: nothing was measured. */
export const createNodeValues =
  ({ now, metrics }: Deps) =>
  async (
    nodeIds: readonly string[],
    { by, ...range }: { by: string; from?: string; to?: string },
  ) => {
    const asked = { range: rangeOf(range, now()), stepSeconds: null, maxPoints: MAX_POINTS }
    const plan = planWithin(asked, nodeIds.length, now() / 1000)
    const sets = nodeIds.map((id) => [{ id, generation: null }])
    const found = await metrics.values({ ...plan, sets, measures: [measureIn(by)] })
    return {
      from: new Date(plan.fromSeconds * 1000).toISOString(),
      to: new Date(plan.toSeconds * 1000).toISOString(),
      values: found.map((one) => one?.values[0] ?? null),
    }
  }
