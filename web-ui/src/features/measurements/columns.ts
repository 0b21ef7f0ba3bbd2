// SPDX-License-Identifier: MIT
// From what the control plane measured, in sums and counts of each step, to the lines of charts. Pure.
import { t } from '../../languages/t.ts'
import type { MeasuredSet, Stage } from '../../lib/api-types.ts'

export type Column = readonly (number | null)[]
/** A set's answer with what its numbers hang on. */
export type Measured = { set: MeasuredSet; stepSeconds: number; quantiles: readonly number[] }
export type Needs = {
  stages?: readonly Stage[]
  counters?: readonly string[]
  gauges?: readonly string[]
}
/** A line of a chart: what is asked for, and what is made of it. */
export type Line = { name: string; needs: Needs; read: (measured: Measured) => Column }

/** The percentiles that are drawn. */
export const QUANTILES = [0.5, 0.9, 0.99] as const
type Quantile = (typeof QUANTILES)[number]

/**
 * Of how many nodes the step is. What was measured is never a whole number, since a report belongs to the step in which it
 * ended: the median of the steps around it says.
 */
export function nodesIn(measuredNodes: readonly number[], step: number): number {
  const around = measuredNodes.slice(Math.max(0, step - 2), step + 3).filter((nodes) => nodes > 0)
  const median = around.toSorted((a, b) => a - b)[Math.floor(around.length / 2)] ?? 0
  return Math.max(1, Math.round(median))
}

/** What is counted, without what `less` counts of it. */
const countedIn = (set: MeasuredSet, step: number, [counter, ...less]: readonly string[]) => {
  const of = (name: string | undefined) => set.counters[name ?? '']?.[step] ?? null
  const count = of(counter)
  if (count === null) return null
  return Math.max(
    0,
    less.reduce((left, name) => left - (of(name) ?? 0), count),
  )
}

/** A second, of all of its nodes together. */
export const rate = (name: string, ...counters: string[]): Line => ({
  name,
  needs: { counters },
  read: ({ set, stepSeconds }) =>
    set.measuredNodes.map((nodes, step) => {
      const count = countedIn(set, step, counters)
      if (count === null || nodes === 0) return null
      return (count / (nodes * stepSeconds)) * nodesIn(set.measuredNodes, step)
    }),
})

/** Of `whole`, which may be a sum. */
export const share = (name: string, counters: string[], ...whole: string[]): Line => ({
  name,
  needs: { counters: [...counters, ...whole] },
  read: ({ set }) =>
    set.measuredNodes.map((_, step) => {
      const part = countedIn(set, step, counters)
      const all = whole.reduce((sum, one) => sum + (countedIn(set, step, [one]) ?? 0), 0)
      return part === null || all === 0 ? null : part / all
    }),
})

/** A node's, on average or of the one that had most. */
export const gauge = (name: string, gauge: string, part: 'mean' | 'max' = 'mean'): Line => ({
  name,
  needs: { gauges: [gauge] },
  read: ({ set }) => set.gauges[gauge]?.[part] ?? [],
})

/** One gauge of another: how much of it is in use. */
export const gaugeShare = (name: string, part: string, whole: string): Line => ({
  name,
  needs: { gauges: [part, whole] },
  read: ({ set }) =>
    (set.gauges[part]?.mean ?? []).map((value, step) => {
      const all = set.gauges[whole]?.mean[step] ?? null
      return value === null || all === null || all === 0 ? null : value / all
    }),
})

export const quantile = (name: string, stage: Stage, q: Quantile): Line => ({
  name,
  needs: { stages: [stage] },
  read: ({ set, quantiles }) => set.stages[stage]?.quantiles[quantiles.indexOf(q)] ?? [],
})

/** p50, p90 and p99. */
export const percentiles = (stage: Stage): Line[] =>
  QUANTILES.map((q) => quantile(`p${Math.round(q * 100)}`, stage, q))

/** What a stage took on average of all that `of` counts, those among them that did not have the stage. */
export const perOne = (name: string, stage: Stage, of: Stage): Line => ({
  name,
  needs: { stages: [stage, of] },
  read: ({ set }) =>
    (set.stages[of]?.count ?? []).map((count, step) =>
      count === null || count === 0 ? null : secondsIn(set, stage, step) / count,
    ),
})

const secondsIn = (set: MeasuredSet, stage: Stage, step: number): number =>
  set.stages[stage]?.sumSeconds[step] ?? 0

const BEFORE_SENDING = ['statWait', 'stat', 'readWait', 'read'] as const

/**
 * What is left of the requests when looking files up and reading them is taken off: sending, and what is neither. Later chunks
 * of a file are read while it is sent, and are a part of both; so no more is sending than is left.
 */
const leftOver = (name: string, read: (sending: number, rest: number) => number): Line => ({
  name,
  needs: { stages: [...BEFORE_SENDING, 'write', 'total'] },
  read: ({ set }) =>
    (set.stages.total?.count ?? []).map((count, step) => {
      if (count === null || count === 0) return null
      const taken = BEFORE_SENDING.reduce((sum, stage) => sum + secondsIn(set, stage, step), 0)
      const left = Math.max(0, secondsIn(set, 'total', step) - taken)
      const sending = Math.min(left, secondsIn(set, 'write', step))
      return read(sending, left - sending) / count
    }),
})
export const sending = leftOver(t('Sending'), (seconds) => seconds)
export const nodeItself = leftOver(t('The node itself'), (_, rest) => rest)

/** Everything that these lines need, each once. */
export const needsOf = (lines: readonly Line[]): Required<Needs> => ({
  stages: [...new Set(lines.flatMap(({ needs }) => needs.stages ?? []))],
  counters: [...new Set(lines.flatMap(({ needs }) => needs.counters ?? []))],
  gauges: [...new Set(lines.flatMap(({ needs }) => needs.gauges ?? []))],
})
