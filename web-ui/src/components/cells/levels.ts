// SPDX-License-Identifier: MIT
// A number of each cell as one of a few levels: the more, the larger its square. Pure.

import { t } from '../../languages/t.ts'
import type { Format } from '../../lib/format.ts'
import type { CellLook } from './cells-picture.tsx'

const LEVELS = 6
/** From so many times as much on, most values would be in the lowest of equal steps. */
const WIDE = 20
export const NOTHING = 'none'

/** Between which values each level lies, the lowest first; null: nothing was measured. */
export function boundsOf(values: readonly (number | null)[]): number[] | null {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const high = known.reduce((a, b) => Math.max(a, b))
  const low = known.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), high)
  if (high <= low) return [high]
  const isWide = low > 0 && high / low > WIDE
  return Array.from({ length: LEVELS }, (_, i) => {
    const part = (i + 1) / LEVELS
    return isWide ? low * (high / low) ** part : low + (high - low) * part
  })
}

/** Rounding moves no value above the last. */
export const levelOf = (value: number | null, bounds: readonly number[]): string => {
  if (value === null) return NOTHING
  const level = bounds.findIndex((bound) => value <= bound)
  return String(level === -1 ? bounds.length - 1 : level)
}

/** The more, the larger the square; so it is told without its colour. */
export function lookOfLevel(kind: string, levels: number): CellLook {
  if (kind === NOTHING) return { colour: '--fs-line-strong', paths: { line: 'M4 6h4' } }
  const level = Number(kind)
  const side = levels === 1 ? 8 : 3 + (level * 8.5) / (levels - 1)
  const from = (12 - side) / 2
  const colour = level * 2 >= levels ? '--fs-series-3' : '--fs-series-1'
  return { colour, paths: { fill: `M${from} ${from}h${side}v${side}h${-side}z` } }
}

/** What each level stands for, the lowest first. */
export const levelsOf = (
  bounds: readonly number[] | null,
  format: Format,
): { kind: string; label: string }[] => [
  ...(bounds ?? []).map((bound) => ({
    kind: levelOf(bound, bounds ?? []),
    label: t('up to {bound}', { bound: format(bound) }),
  })),
  { kind: NOTHING, label: t('nothing measured') },
]
