// SPDX-License-Identifier: MIT
// A chart's lines as they are drawn: of one set each in a colour; of several, a colour for each set. Pure.
import { type Series, type SeriesColour, seriesColours } from '../../components/chart/types.ts'
import type { MeasuredSets } from '../../lib/api-types.ts'
import type { Measured } from './columns.ts'
import type { Chart } from './topics.ts'

const DASHES = ['solid', 'dashed', 'dotted'] as const

export const colourOf = (index: number): SeriesColour =>
  seriesColours[index % seriesColours.length] ?? 1

const dashOf = (index: number) => DASHES[index % DASHES.length] ?? 'solid'

const measuredOf = ({ sets, stepSeconds, quantiles }: MeasuredSets): Measured[] =>
  sets.map((set) => ({ set, stepSeconds, quantiles }))

/** What is drawn of a chart: one drawing, or, of parts of a whole, one for each set. */
export type Drawn = {
  label: string
  help?: string | undefined
  series: Series[]
  counts?: (number | null)[]
}

export function drawn(chart: Chart, answer: MeasuredSets): Drawn[] {
  const all = measuredOf(answer)
  const [first, ...others] = all
  if (first === undefined) return []
  const { label, lines, stacked } = chart
  const help = others.length === 0 ? withLimit(chart, first) : chart.help
  const linesOf = (measured: Measured): Series[] =>
    lines.map((line, index) => ({
      ...{ name: line.name, values: line.read(measured), colour: colourOf(index) },
      dash: stacked ? 'solid' : dashOf(index),
    }))
  if (others.length === 0)
    return [{ label, help, series: linesOf(first), ...countsOf(chart, first) }]
  if (stacked) {
    return all.map((one) => ({ label: `${label}: ${one.set.title}`, help, series: linesOf(one) }))
  }
  const main = lines.find(({ name }) => name === chart.main) ?? lines[0]
  if (main === undefined) return []
  const series = all.map((one, index) => ({
    ...{ name: one.set.title, values: main.read(one), colour: colourOf(index) },
    dash: dashOf(index),
  }))
  return [{ label: lines.length > 1 ? `${label}: ${main.name}` : label, help, series }]
}

/** The newest: it changes with the config. */
function withLimit({ help, limit, format }: Chart, measured: Measured): string | undefined {
  const most = limit?.read(measured).findLast((value) => value !== null)
  return limit && most != null ? `${limit.name} ${format(most)}` : help
}

/** Percentiles say how many they are of. */
function countsOf({ isLatency, lines }: Chart, { set }: Measured) {
  const stages = new Set(lines.flatMap(({ needs }) => needs.stages ?? []))
  const [stage] = stages
  if (!isLatency || stage === undefined || stages.size > 1) return {}
  return { counts: set.stages[stage]?.count ?? [] }
}

export const isEmpty = ({ series }: Drawn): boolean =>
  series.every(({ values }) => values.every((value) => value === null))
