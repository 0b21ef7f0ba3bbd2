// SPDX-License-Identifier: MIT
// What nodes do while time passes, for rules over measurements.
import { histogramOf } from '../../histogram-of.ts'
import type { Farm } from '../metrics/farm.ts'

export const series = (seconds: number[], failed = 0) => [
  {
    generation: 1,
    counters: { requests: seconds.length, responses5xx: failed },
    stages: { total: { ...histogramOf(seconds), scale: 3 as const } },
  },
]
export const FAST = Array(20).fill(0.002)
export const SLOW = Array(20).fill(0.3)

/** Minutes pass; each node reports what it does in each of them, null: nothing. */
export async function pass(
  service: Farm,
  minutes: number,
  doing: (ReturnType<typeof series> | null)[],
) {
  for (let minute = 0; minute < minutes; minute++) {
    for (let second = 0; second < 60; second += 20) {
      service.clock.nowMs += 20_000
      for (const [i, what] of doing.entries()) {
        if (what) await service.nodes[i]?.report(what, 20_000)
      }
    }
    await service.lookAtAlerts()
  }
}
