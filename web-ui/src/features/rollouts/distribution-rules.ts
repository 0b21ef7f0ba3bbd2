// SPDX-License-Identifier: MIT
// The picture of a distribution: shares of each side, and where times lie. Pure.
import { t } from '../../languages/t.ts'
import type { Distribution } from '../../lib/api-types.ts'
import { DASH, formatRatio, formatSeconds } from '../../lib/format.ts'

export const stageWords: Record<Distribution['stage'], string> = {
  firstByte: t('Until the first byte'),
  total: t('Whole requests'),
  readWait: t('Waiting for a read'),
  handshake: t('TLS handshakes'),
}

/** What is counted: so many of them. */
export const countWords = ({ stage }: Pick<Distribution, 'stage'>, count: number): string =>
  stage === 'handshake'
    ? t('{count, plural, one {# handshake} other {# handshakes}}', { count })
    : t('{count, plural, one {# request} other {# requests}}', { count })

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

/** Where a time is in the picture, from its left at 0 to its right at 1. */
const placeOf = ({ firstColumn, canary }: Distribution, seconds: number) =>
  (Math.log2(seconds) * COLUMNS_EACH - firstColumn) / canary.length

export const sides = ['canary', 'control'] as const
export type Side = (typeof sides)[number]
export type Mark = { key: string; side: Side; isLast: boolean; at: number; label: string }

/** A line for each percentile of each side; `isLast`: the highest of its side. */
export function marksOf(distribution: Distribution): Mark[] {
  const { quantiles } = distribution
  return sides.flatMap((side) =>
    quantiles.flatMap(({ q, [side]: seconds }, place) => {
      if (seconds === null) return []
      const at = Math.min(1, Math.max(0, placeOf(distribution, seconds)))
      const isLast = place === quantiles.length - 1
      return [{ key: `${side} ${q}`, side, isLast, at, label: formatRatio(q) }]
    }),
  )
}

/** The same in words. */
export function markWords(distribution: Distribution): string[] {
  const within = (seconds: number | null) => (seconds === null ? DASH : formatSeconds(seconds))
  const isOfHandshakes = distribution.stage === 'handshake'
  return distribution.quantiles.map(({ q, canary, control }) => {
    const values = { share: formatRatio(q), canary: within(canary), control: within(control) }
    if (q === 0.5) {
      return isOfHandshakes
        ? t(
            'Half of the handshakes took at most {canary} with the new version, {control} on the other nodes.',
            values,
          )
        : t(
            'Half of the requests took at most {canary} with the new version, {control} on the other nodes.',
            values,
          )
    }
    return isOfHandshakes
      ? t(
          '{share} of the handshakes took at most {canary} with the new version, {control} on the other nodes.',
          values,
        )
      : t(
          '{share} of the requests took at most {canary} with the new version, {control} on the other nodes.',
          values,
        )
  })
}

/** More would touch each other on a phone. */
const MOST_TICKS = 4

/** At powers of ten, as far apart as there is room; where there is none, in the middle. */
export function ticksOf(distribution: Distribution): { at: number; seconds: number }[] {
  const columns = distribution.canary.length
  const { firstColumn } = distribution
  const from = Math.ceil(Math.log10(2 ** (firstColumn / COLUMNS_EACH)))
  const to = Math.floor(Math.log10(2 ** ((firstColumn + columns) / COLUMNS_EACH)))
  const every = Math.max(1, Math.ceil((to - from + 1) / MOST_TICKS))
  const ticks = []
  for (let power = from; power <= to; power += every) {
    ticks.push({ at: placeOf(distribution, 10 ** power), seconds: 10 ** power })
  }
  const inside = ticks.filter(({ at }) => at >= 0.04 && at <= 0.96)
  if (inside.length > 0) return inside
  return [{ at: 0.5, seconds: 2 ** ((firstColumn + columns / 2) / COLUMNS_EACH) }]
}
