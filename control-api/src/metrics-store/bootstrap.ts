// SPDX-License-Identifier: MIT
// How far a comparison of two groups may be trusted: what they did is drawn again and again from their own
// windows, whole windows, for the requests of one have a cause in common. The same seed gives the same interval.
import { seededRandom } from '../base/seeded-random.ts'
import { type Histogram, MAX_BUCKETS, MIN_INDEX, quantile } from '../histogram/histogram.ts'

export type Interval = { value: number; low: number; high: number }
/** Counters of one window: of how many, how many were such. */
export type Share = { part: number; whole: number }

const DRAWS = 200
/** 95 %. */
const TAIL = 0.025
/** More windows are put together first, so that a day costs what an hour does. */
export const MOST_UNITS = 32
/** Of fewer, no interval means anything. */
export const FEWEST_UNITS = 3

/** Of a quantile: so many times the control's. null: one of them has none above zero. */
export function quantileRatio(
  canary: readonly Histogram[],
  control: readonly Histogram[],
  { q, seed }: { q: number; seed: number },
): Interval | null {
  const random = seededRandom(seed)
  const sides = [canary, control].map((side) => bundle(side.map(toDense), addDense))
  const ratio = (pick: (units: readonly Float64Array[]) => Float64Array) => {
    const [top = 0, bottom = 0] = sides.map((units) => denseQuantile(pick(units), q))
    return bottom > 0 ? top / bottom : null
  }
  const value = ratio((units) => units.reduce(addDense, emptyDense()))
  if (value === null) return null
  return interval(value, () => ratio((units) => draw(units, random, emptyDense(), addDense)))
}

/** By how much the share is greater than the control's. */
export function shareDifference(
  canary: readonly Share[],
  control: readonly Share[],
  { seed }: { seed: number },
): Interval {
  const random = seededRandom(seed)
  const none: Share = { part: 0, whole: 0 }
  const sides = [canary, control].map((side) => bundle(side, addShares))
  const difference = (pick: (units: readonly Share[]) => Share) => {
    const [ours = 0, theirs = 0] = sides.map((units) => shareOf(pick(units)))
    return ours - theirs
  }
  const value = difference((units) => units.reduce(addShares, none))
  return interval(value, () => difference((units) => draw(units, random, none, addShares)))
}

/** So many times the control's mean is the canary's. null: one of them has nothing to divide by. */
export function meanRatio(
  canary: readonly Share[],
  control: readonly Share[],
  { seed }: { seed: number },
): Interval | null {
  const random = seededRandom(seed)
  const none: Share = { part: 0, whole: 0 }
  const sides = [canary, control].map((side) => bundle(side, addShares))
  const ratio = (pick: (units: readonly Share[]) => Share) => {
    const [ours = 0, theirs = 0] = sides.map((units) => shareOf(pick(units)))
    return ours > 0 && theirs > 0 ? theirs / ours : null
  }
  const value = ratio((units) => units.reduce(addShares, none))
  if (value === null) return null
  return interval(value, () => ratio((units) => draw(units, random, none, addShares)))
}

/** Of one side alone: how far the share of its windows may be trusted. null: there is nothing to divide by. */
export function shareInterval(
  units: readonly Share[],
  { seed }: { seed: number },
): Interval | null {
  const random = seededRandom(seed)
  const none: Share = { part: 0, whole: 0 }
  const bundles = bundle(units, addShares)
  const whole = bundles.reduce(addShares, none)
  if (whole.whole <= 0) return null
  return interval(shareOf(whole), () => shareOf(draw(bundles, random, none, addShares)))
}

export const addShares = (a: Share, b: Share): Share => ({
  part: a.part + b.part,
  whole: a.whole + b.whole,
})
export const shareOf = ({ part, whole }: Share) => (whole > 0 ? part / whole : 0)

function interval(value: number, next: () => number | null): Interval {
  const drawn = Array.from({ length: DRAWS }, next)
    .filter((one) => one !== null)
    .sort((a, b) => a - b)
  const at = (share: number) => drawn[Math.floor(share * (drawn.length - 1))] ?? value
  return { value, low: at(TAIL), high: at(1 - TAIL) }
}

function draw<T>(units: readonly T[], random: () => number, none: T, add: (a: T, b: T) => T): T {
  let sum = none
  for (let i = 0; i < units.length; i++) {
    const unit = units[Math.floor(random() * units.length)]
    if (unit !== undefined) sum = add(sum, unit)
  }
  return sum
}

function bundle<T>(units: readonly T[], add: (a: T, b: T) => T): T[] {
  if (units.length <= MOST_UNITS) return [...units]
  const bundles: T[] = []
  for (const [i, unit] of units.entries()) {
    const at = i % MOST_UNITS
    const before = bundles[at]
    bundles[at] = before === undefined ? unit : add(before, unit)
  }
  return bundles
}

/** The zero count first, then every bucket there can be. */
const emptyDense = () => new Float64Array(MAX_BUCKETS + 1)

function toDense({ zeroCount, offset, counts }: Histogram): Float64Array {
  const dense = emptyDense()
  dense[0] = zeroCount
  for (const [k, n] of counts.entries()) dense[1 + offset - MIN_INDEX + k] = n
  return dense
}

/** Into the first, which is the caller's own. */
function addDense(sum: Float64Array, unit: Float64Array): Float64Array {
  for (let i = 0; i < unit.length; i++) sum[i] = (sum[i] ?? 0) + (unit[i] ?? 0)
  return sum
}

function denseQuantile(dense: Float64Array, q: number): number {
  const zeroCount = dense[0] ?? 0
  const counts = dense.subarray(1)
  let count = 0
  for (let i = 0; i < dense.length; i++) count += dense[i] ?? 0
  const maxSeconds = Number.POSITIVE_INFINITY
  const whole = { count, zeroCount, maxSeconds, offset: MIN_INDEX, counts }
  return quantile(whole, q) ?? 0
}
