// SPDX-License-Identifier: MIT
// Times that charts are about: the last so and so much, which moves on by itself, or from one moment to another.

/** Steps that give a chart one to two hundred points. */
import { t } from '../languages/t.ts'

export const ranges = {
  '15m': { label: t('15 min'), rangeSeconds: 900, stepSeconds: 10 },
  '1h': { label: '1 h', rangeSeconds: 3600, stepSeconds: 30 },
  '6h': { label: '6 h', rangeSeconds: 21_600, stepSeconds: 120 },
  '24h': { label: '24 h', rangeSeconds: 86_400, stepSeconds: 600 },
  '7d': { label: '7 d', rangeSeconds: 604_800, stepSeconds: 3600 },
  '30d': { label: '30 d', rangeSeconds: 2_592_000, stepSeconds: 14_400 },
} as const
export type RangeKey = keyof typeof ranges

export const isRange = (value: unknown): value is RangeKey =>
  typeof value === 'string' && Object.hasOwn(ranges, value)

/** In an address: one of them, or two moments in Unix seconds. Nothing of it: the last 15 minutes. */
export type TimeSearch = {
  range?: RangeKey | undefined
  from?: number | undefined
  to?: number | undefined
}
export type TimeSpan = { from: number; to: number }

/** What else an address holds, of another time. */
export const withTime = <Search extends TimeSearch>(search: Search, time: TimeSearch): Search => ({
  ...{ ...search, range: undefined, from: undefined, to: undefined },
  ...time,
})

/** Less has no two steps. */
export const SHORTEST_SECONDS = 60

const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e11

export function parseTimeSearch({ range, from, to }: Record<string, unknown>): TimeSearch {
  if (isMoment(from) && isMoment(to) && to - from >= SHORTEST_SECONDS) return { from, to }
  return isRange(range) ? { range } : {}
}

/** null: it is one of the ranges that move on. */
export const fixedSpan = ({ from, to }: TimeSearch): TimeSpan | null =>
  from === undefined || to === undefined ? null : { from, to }

export const rangeOf = ({ range = '15m' }: TimeSearch) => ranges[range]

export function spanOf(search: TimeSearch, nowSeconds: number): TimeSpan {
  const to = Math.round(nowSeconds)
  return fixedSpan(search) ?? { from: to - rangeOf(search).rangeSeconds, to }
}

/** Whole seconds, no shorter than what has two steps, and nothing of what is yet to come. */
export function chosenSpan(from: number, to: number, nowSeconds: number): TimeSpan {
  const end = Math.round(Math.min(to, nowSeconds))
  return { from: Math.round(Math.min(from, end - SHORTEST_SECONDS)), to: end }
}

/** About as many steps as the ranges have; the control plane takes the next that it has. */
export const stepFor = ({ from, to }: TimeSpan): number =>
  Math.max(10, Math.round((to - from) / 150))
