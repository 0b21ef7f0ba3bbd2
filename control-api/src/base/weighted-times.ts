// SPDX-License-Identifier: MIT
// Percentiles of times of which some were drawn, each standing for as many as its weight. Counted in buckets that are
// two percent wide, so a percentile is at most one percent off, whatever comes.
const WIDTH = Math.log(1.02)
const SHORTEST_SECONDS = 1e-6
/** A percentile with fewer drawn times above it says little of those that were not drawn. */
const LEAST_ABOVE = 10

export class WeightedTimes {
  readonly #buckets = new Map<number, number>()
  #count = 0
  #weight = 0

  /** How many were drawn. */
  get count(): number {
    return this.#count
  }

  add(seconds: number, weight: number): void {
    const bucket = Math.round(Math.log(Math.max(seconds, SHORTEST_SECONDS)) / WIDTH)
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + weight)
    this.#count++
    this.#weight += weight
  }

  /** null: too few were drawn to say. */
  quantile(q: number): number | null {
    // 100 × (1 − 0.9) is a little less than ten in binary.
    if (this.#count * (1 - q) < LEAST_ABOVE - 1e-6) return null
    let below = 0
    for (const [bucket, weight] of [...this.#buckets].toSorted(([a], [b]) => a - b)) {
      below += weight
      if (below >= q * this.#weight) return Math.exp(bucket * WIDTH)
    }
    return null
  }
}
