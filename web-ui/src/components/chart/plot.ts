// SPDX-License-Identifier: MIT
// uPlot's options for a chart over time. null stays a gap: no data is never zero, never a line.
import type uPlot from 'uplot'
import { cssColour } from '../../lib/css-colour.ts'
import { formatClock } from '../../lib/time.ts'
import { logRange, logTicks } from './scale.ts'
import { dashPatterns, type Mark, type TimeChartProps } from './types.ts'

const AXIS_FONT = '11px ui-sans-serif, system-ui, sans-serif'
const DAY_SECONDS = 86_400
/** uPlot's number for it. */
const LOGARITHMIC = 3

export type PlotHooks = { onCursor: (index: number | null) => void; marks: () => readonly Mark[] }

export function plotOptions(
  props: Pick<TimeChartProps, 'series' | 'format' | 'height' | 'smallestTop' | 'scale'>,
  width: number,
  hooks: PlotHooks,
): uPlot.Options {
  const dim = cssColour('--fs-dim')
  const line = cssColour('--fs-line')
  const logarithmic = props.scale === 'log'
  const axis = { stroke: dim, font: AXIS_FONT, ticks: { show: false } }
  return {
    width,
    height: props.height ?? 240,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      y: logarithmic
        ? { distr: LOGARITHMIC, range: (_plot, min, max) => logRange(min, max) }
        : { range: (_plot, _min, max) => [0, topOf(max, props.smallestTop)] },
    },
    axes: [
      { ...axis, size: 28, grid: { show: false }, values: timeLabels },
      {
        ...axis,
        size: 60,
        gap: 6,
        space: 28,
        grid: { stroke: line, width: 1 },
        values: (_plot, ticks) => ticks.map((tick) => props.format(tick)),
        ...(logarithmic && {
          splits: (_plot: uPlot, _axis: number, min: number, max: number) => logTicks(min, max),
          filter: (_plot: uPlot, ticks: number[]) => ticks,
        }),
      },
    ],
    series: [
      {},
      ...props.series.map((one) => ({
        label: one.name,
        stroke: cssColour(`--fs-series-${one.colour}`),
        width: 1.6,
        dash: dashPatterns[one.dash ?? 'solid'].map((length) => length * devicePixelRatio),
        points: {
          show: true,
          size: 5,
          fill: cssColour(`--fs-series-${one.colour}`),
          filter: (plot: uPlot, index: number) => alone(plot.data[index] ?? []),
        },
      })),
    ],
    hooks: {
      setCursor: [(plot) => hooks.onCursor(plot.cursor.idx ?? null)],
      draw: [(plot) => drawMarks(plot, hooks.marks(), cssColour('--fs-accent'))],
    },
  }
}

/** Values between two gaps: a line shows them only when it has two ends. */
export function alone(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values, (_, index) => index).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  )
}

const HEADROOM = 1.08

function topOf(max: number | null, smallest: number | undefined): number {
  const top = Math.max((max ?? 0) * HEADROOM, smallest ?? 0)
  return top > 0 ? top : 1
}

function timeLabels(plot: uPlot, ticks: number[]): string[] {
  const { min = 0, max = 0 } = plot.scales.x ?? {}
  const days = (max ?? 0) - (min ?? 0) > DAY_SECONDS
  return ticks.map((tick) => {
    const at = new Date(tick * 1000)
    if (days) return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    return formatClock(at).slice(0, 5)
  })
}

/** A thin line where something happened to the farm; what it was is in the list below the chart. */
function drawMarks(plot: uPlot, marks: readonly Mark[], stroke: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = stroke
  ctx.fillStyle = stroke
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.atSeconds, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(x - 4 * devicePixelRatio, bbox.top)
    ctx.lineTo(x + 4 * devicePixelRatio, bbox.top)
    ctx.lineTo(x, bbox.top + 6 * devicePixelRatio)
    ctx.fill()
  }
  ctx.restore()
}
