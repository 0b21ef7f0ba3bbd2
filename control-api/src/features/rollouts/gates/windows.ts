// SPDX-License-Identifier: MIT
// The windows of many nodes put together as they are read, so that two minutes of ten thousand nodes are never held
// at once: into as many as an interval is drawn from (bootstrap.ts), one after the other. Counts add up, and nothing is lost.
import { type Histogram, MAX_BUCKETS, MIN_INDEX } from '../../../histogram/histogram.ts'
import type { Sample } from '../../../metrics-store/metrics.ts'
import { MOST_UNITS } from './bootstrap.ts'

/** What a comparison reads of a window. */
export type Window = Pick<Sample, 'counters' | 'stages'>
type Stage = keyof Sample['stages']

export type Windows = { add(window: Window): void; all(): Window[] }

type Sum = { counters: Record<string, number>; stages: Map<Stage, DenseHistogram> }

/** Of the counters and stages that are asked for. */
export function createWindows(counters: readonly string[], stages: readonly Stage[]): Windows {
  const sums: Sum[] = []
  let count = 0
  return {
    add(window) {
      const at = count++ % MOST_UNITS
      const sum = sums[at] ?? { counters: {}, stages: new Map<Stage, DenseHistogram>() }
      sums[at] = sum
      for (const name of counters)
        sum.counters[name] = (sum.counters[name] ?? 0) + (window.counters[name] ?? 0)
      for (const stage of stages) {
        const histogram = window.stages[stage]
        if (!histogram) continue
        const dense = sum.stages.get(stage) ?? new DenseHistogram()
        sum.stages.set(stage, dense)
        dense.add(histogram)
      }
    },
    all: () =>
      sums.map((sum) => ({
        counters: sum.counters,
        stages: Object.fromEntries([...sum.stages].map(([stage, one]) => [stage, one.whole()])),
      })),
  }
}

/** Every bucket there can be, so that one more window makes no new list. */
class DenseHistogram {
  readonly #counts = new Float64Array(MAX_BUCKETS)
  #zeroCount = 0
  #count = 0
  #sumSeconds = 0
  #maxSeconds = 0

  add({ count, zeroCount, sumSeconds, maxSeconds, offset, counts }: Histogram): void {
    this.#count += count
    this.#zeroCount += zeroCount
    this.#sumSeconds += sumSeconds
    this.#maxSeconds = Math.max(this.#maxSeconds, maxSeconds)
    const from = offset - MIN_INDEX
    for (const [k, n] of counts.entries())
      this.#counts[from + k] = (this.#counts[from + k] ?? 0) + n
  }

  whole(): Histogram {
    const first = this.#counts.findIndex((n) => n > 0)
    const last = this.#counts.findLastIndex((n) => n > 0)
    const isEmpty = first < 0
    return {
      count: this.#count,
      zeroCount: this.#zeroCount,
      sumSeconds: this.#sumSeconds,
      maxSeconds: this.#maxSeconds,
      offset: isEmpty ? 0 : first + MIN_INDEX,
      counts: isEmpty ? [] : [...this.#counts.subarray(first, last + 1)],
    }
  }
}
