// SPDX-License-Identifier: MIT
// The vertical scale of a chart. Logarithmic ones begin, end and are labelled at 1, 2 and 5 times a
// power of ten: numbers one can read.

export const scales = ['linear', 'log'] as const
export type Scale = (typeof scales)[number]

export const isScale = (value: unknown): value is Scale => scales.some((one) => one === value)

/** One slow request must not flatten the line of all the others. */
export const LATENCY_SCALE: Scale = 'log'

/** From this many labels on only the powers of ten are named. */
const MANY_LABELS = 7
const mantissas = [1, 2, 5] as const

/** All of 1, 2, 5 times 10ⁿ in order, the nearest at or below `low` to the nearest at or above `high`. */
function steps(low: number, high: number): number[] {
  const found: number[] = []
  const last = Math.ceil(Math.log10(high))
  for (let power = Math.floor(Math.log10(low)); power <= last; power += 1) {
    for (const mantissa of mantissas) found.push(Number(`${mantissa}e${power}`))
  }
  const from = found.findLastIndex((step) => step <= low)
  const to = found.findIndex((step) => step >= high)
  return found.slice(Math.max(0, from), to + 1)
}

/** Where a logarithmic scale begins and ends; at least two steps apart, so that a flat line is one. */
export function logRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || max <= 0) return [0.1, 1]
  const low = min > 0 ? min : max / 1000
  const range = steps(low, max)
  const [first = low, last = max] = [range[0], range.at(-1)]
  return first < last ? [first, last] : [first / 2, last * 2]
}

export function logTicks(min: number, max: number): number[] {
  const ticks = steps(min, max).filter((step) => step >= min && step <= max)
  if (ticks.length < MANY_LABELS) return ticks
  return ticks.filter((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6))
}
