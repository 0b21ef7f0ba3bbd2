// SPDX-License-Identifier: MIT
// The picture of a distribution: shares of each side, and where times lie. Pure.
import type { Distribution } from '../../lib/api-types.ts'

export const stageWords: Record<Distribution['stage'], string> = {
  firstByte: 'Until the first byte',
  total: 'Whole requests',
  readWait: 'Waiting for a read',
  handshake: 'TLS handshakes',
}

/** As many columns as the API has for each doubling of time. */
const COLUMNS_EACH = 2

/** The longest time in a column, in seconds. */
export const endOf = ({ firstColumn }: Distribution, place: number): number =>
  2 ** ((firstColumn + place + 1) / COLUMNS_EACH)

/** Sides of different sizes are compared by their shares. */
export const sharesOf = ({ canary, control }: Distribution) => ({
  canary: shares(canary),
  control: shares(control),
})

function shares(counts: readonly number[]): number[] {
  const all = counts.reduce((a, b) => a + b, 0)
  return counts.map((count) => (all === 0 ? 0 : count / all))
}

type Size = { width: number; height: number; most: number }

/** Steps from left to right, as a path of SVG. */
export function drawnOf(of: readonly number[], { width, height, most }: Size): string {
  const step = width / Math.max(1, of.length)
  const y = (share: number) => round(height - (most === 0 ? 0 : (share / most) * height))
  const steps = of.map((share, place) => `V${y(share)}H${round((place + 1) * step)}`)
  return `M0 ${height}${steps.join('')}`
}

const round = (value: number) => Math.round(value * 100) / 100

/** More would touch each other on a phone. */
const MOST_TICKS = 4

/** At powers of ten, as far apart as there is room; where there is none, in the middle. */
export function ticksOf(distribution: Distribution): { at: number; seconds: number }[] {
  const columns = distribution.canary.length
  const { firstColumn } = distribution
  const placeOf = (seconds: number) => (Math.log2(seconds) * COLUMNS_EACH - firstColumn) / columns
  const from = Math.ceil(Math.log10(2 ** (firstColumn / COLUMNS_EACH)))
  const to = Math.floor(Math.log10(2 ** ((firstColumn + columns) / COLUMNS_EACH)))
  const every = Math.max(1, Math.ceil((to - from + 1) / MOST_TICKS))
  const ticks = []
  for (let power = from; power <= to; power += every) {
    ticks.push({ at: placeOf(10 ** power), seconds: 10 ** power })
  }
  const inside = ticks.filter(({ at }) => at >= 0.04 && at <= 0.96)
  if (inside.length > 0) return inside
  return [{ at: 0.5, seconds: 2 ** ((firstColumn + columns / 2) / COLUMNS_EACH) }]
}
