// SPDX-License-Identifier: MIT
// Base-2 exponential histograms over seconds, as the nodes send them (server-c/agent-protocol/README.md).
// Bucket i counts values in (2^(i/8), 2^((i+1)/8)] seconds. Merging adds counts, so any set of windows
// merges to exactly what one longer window would have been; percentiles are read after merging, never averaged.

export const SCALE = 3
export const MIN_INDEX = -168
export const MAX_INDEX = 79
/** Values up to this are counted in `zeroCount`. */
const ZERO_BOUND_SECONDS = 2 ** -21
export const MAX_BUCKETS = MAX_INDEX - MIN_INDEX + 1

/** The wire's own shape, so that a report's histogram is used as it is once checked. */
export type Histogram = {
  count: number
  /** Values of at most 2^-21 s. */
  zeroCount: number
  sumSeconds: number
  maxSeconds: number
  /** Index of the first of `counts`; 0 when there is none. */
  offset: number
  counts: number[]
}

export const emptyHistogram = (): Histogram => ({
  count: 0,
  zeroCount: 0,
  sumSeconds: 0,
  maxSeconds: 0,
  offset: 0,
  counts: [],
})

/** Index of the bucket that counts it; null: it is one of `zeroCount`. */
export function bucketOf(seconds: number): number | null {
  if (seconds <= ZERO_BOUND_SECONDS) return null
  const index = Math.ceil(Math.log2(seconds) * 2 ** SCALE) - 1
  return Math.min(Math.max(index, MIN_INDEX), MAX_INDEX)
}

/** Why a well-typed histogram is still impossible, or null. What a node sends is not trusted. */
export function histogramFault(h: Histogram): string | null {
  if (!isCount(h.count) || !isCount(h.zeroCount)) return 'count and zeroCount must be whole numbers'
  if (!isAmount(h.sumSeconds) || !isAmount(h.maxSeconds)) {
    return 'sumSeconds and maxSeconds must be finite and not negative'
  }
  if (h.counts.length > MAX_BUCKETS) return `at most ${MAX_BUCKETS} buckets`
  if (!Number.isInteger(h.offset)) return 'offset must be a whole number'
  if (h.counts.length > 0) {
    const last = h.offset + h.counts.length - 1
    if (h.offset < MIN_INDEX || last > MAX_INDEX) {
      return `buckets ${h.offset} to ${last} are not within ${MIN_INDEX} to ${MAX_INDEX}`
    }
  }
  if (!h.counts.every(isCount)) return 'bucket counts must be whole numbers'
  const total = h.counts.reduce((sum, n) => sum + n, h.zeroCount)
  return total === h.count ? null : `count is ${h.count} but the buckets hold ${total}`
}

/** A new histogram with what both counted. Counts stop at 2^53 - 1 rather than lose exactness unseen. */
export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  if (a.count === 0) return { ...b, counts: [...b.counts] }
  if (b.count === 0) return { ...a, counts: [...a.counts] }
  const { offset, counts } = mergeBuckets(a, b)
  const zeroCount = add(a.zeroCount, b.zeroCount)
  return {
    count: counts.reduce(add, zeroCount),
    zeroCount,
    sumSeconds: a.sumSeconds + b.sumSeconds,
    maxSeconds: Math.max(a.maxSeconds, b.maxSeconds),
    offset,
    counts,
  }
}

function mergeBuckets(a: Histogram, b: Histogram): Pick<Histogram, 'offset' | 'counts'> {
  if (a.counts.length === 0) return { offset: b.offset, counts: [...b.counts] }
  if (b.counts.length === 0) return { offset: a.offset, counts: [...a.counts] }
  const offset = Math.min(a.offset, b.offset)
  const end = Math.max(a.offset + a.counts.length, b.offset + b.counts.length)
  const counts = new Array<number>(end - offset).fill(0)
  for (const h of [a, b]) {
    h.counts.forEach((n, k) => {
      const at = h.offset - offset + k
      counts[at] = add(counts[at] ?? 0, n)
    })
  }
  return { offset, counts }
}

export type Counted = Omit<Histogram, 'counts' | 'sumSeconds'> & {
  counts: ArrayLike<number>
  /** Those of `counts` before it are 0. */
  from?: number
}

/**
 * Seconds at quantile q: the geometric middle of the bucket that holds it (off by at most 4.4 %), never
 * above the maximum seen; null when nothing was counted. The same rule as histogram_quantile() of the node.
 */
export function quantile(h: Counted, q: number): number | null {
  if (h.count === 0) return null
  const rank = Math.max(1, Math.ceil(q * h.count))
  let seen = h.zeroCount
  if (rank <= seen) return Math.min(ZERO_BOUND_SECONDS, h.maxSeconds)
  for (let k = h.from ?? 0; k < h.counts.length; k++) {
    seen += h.counts[k] ?? 0
    if (rank <= seen) return Math.min(bucketMiddle(h.offset + k), h.maxSeconds)
  }
  return h.maxSeconds
}

const bucketMiddle = (index: number) => 2 ** ((index + 0.5) / 2 ** SCALE)
const add = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER)
const isCount = (n: number) => Number.isSafeInteger(n) && n >= 0
const isAmount = (n: number) => Number.isFinite(n) && n >= 0
