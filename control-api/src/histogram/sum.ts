// SPDX-License-Identifier: MIT
// A histogram that many are added to: of a day of a thousand nodes there are a hundred thousand, and none of them is made
// an object first.
import { readInto } from './encoding.ts'
import { bucketOf, type Counted, type Histogram, MAX_BUCKETS, MIN_INDEX } from './histogram.ts'

export class HistogramSum {
  zeroCount = 0
  sumSeconds = 0
  maxSeconds = 0
  /** Of every bucket there can be. */
  readonly counts: Float64Array<ArrayBuffer>
  /** Only there can be others than zero: the first of them, and the one after the last. */
  #first = MAX_BUCKETS
  #end = 0

  /** Who makes thousands gives each its part of one array: to make one of its own takes longer than to fill it. All zeros, MAX_BUCKETS long. */
  constructor(counts: Float64Array<ArrayBuffer> = new Float64Array(MAX_BUCKETS)) {
    this.counts = counts
  }

  add({ zeroCount, sumSeconds, maxSeconds, offset, counts }: Histogram): void {
    this.zeroCount += zeroCount
    this.sumSeconds += sumSeconds
    this.maxSeconds = Math.max(this.maxSeconds, maxSeconds)
    const first = offset - MIN_INDEX
    this.reachesTo(first, first + counts.length)
    for (const [k, n] of counts.entries()) {
      this.counts[first + k] = (this.counts[first + k] ?? 0) + n
    }
  }

  addSum(other: HistogramSum): void {
    this.zeroCount += other.zeroCount
    this.sumSeconds += other.sumSeconds
    this.maxSeconds = Math.max(this.maxSeconds, other.maxSeconds)
    this.reachesTo(other.#first, other.#end)
    for (let k = other.#first; k < other.#end; k++) {
      this.counts[k] = (this.counts[k] ?? 0) + (other.counts[k] ?? 0)
    }
  }

  /** One that took so long. */
  count(seconds: number): void {
    const bucket = bucketOf(seconds)
    if (bucket === null) this.zeroCount++
    else {
      const at = bucket - MIN_INDEX
      this.reachesTo(at, at + 1)
      this.counts[at] = (this.counts[at] ?? 0) + 1
    }
    this.sumSeconds += seconds
    this.maxSeconds = Math.max(this.maxSeconds, seconds)
  }

  /** As encodeHistogram() wrote it, in that part of `bytes`. Throws a RangeError on bytes it can't have written, with a part of them added. */
  addEncoded(bytes: Uint8Array, from = 0, end = bytes.length): void {
    readInto(this, bytes, from, end)
  }

  /** Buckets from `first` to the one before `end` are about to be added to. */
  reachesTo(first: number, end: number): void {
    if (first >= end) return
    this.#first = Math.min(this.#first, first)
    this.#end = Math.max(this.#end, end)
  }

  /** As if it were new: whoever reads one step after the other needs one. */
  clear(): void {
    this.counts.fill(0, this.#first, this.#end)
    this.zeroCount = this.sumSeconds = this.maxSeconds = this.#end = 0
    this.#first = MAX_BUCKETS
  }

  /** What quantile() needs, with nothing made anew but the count: it is of now. */
  counted(): Counted {
    const { zeroCount, maxSeconds, counts } = this
    const from = this.#first
    let count = bounded(zeroCount)
    for (let k = from; k < this.#end; k++) count = bounded(count + (counts[k] ?? 0))
    return { count, zeroCount, maxSeconds, offset: MIN_INDEX, counts, from }
  }

  toHistogram(): Histogram {
    const { zeroCount, sumSeconds, maxSeconds, counts } = this
    let first = Math.min(this.#first, this.#end)
    let end = this.#end
    while (first < end && counts[first] === 0) first++
    while (end > first && counts[end - 1] === 0) end--
    const within = new Array<number>(end - first)
    let count = bounded(zeroCount)
    for (let k = 0; k < within.length; k++) {
      const n = bounded(counts[first + k] ?? 0)
      within[k] = n
      count = bounded(count + n)
    }
    return {
      count,
      zeroCount: bounded(zeroCount),
      sumSeconds,
      maxSeconds,
      offset: within.length === 0 ? 0 : first + MIN_INDEX,
      counts: within,
    }
  }
}

/** Counts stop there rather than lose exactness unseen. */
const bounded = (n: number) => Math.min(n, Number.MAX_SAFE_INTEGER)
