// SPDX-License-Identifier: MIT
// uPlot's options for a chart over time. null stays a gap: no data is never zero, never a line.
import type uPlot from 'uplot'
import { dateLocale } from '../../languages/language.ts'
import { cssColour } from '../../lib/css-colour.ts'
import { formatClock } from '../../lib/time.ts'
import { logRange, logTicks } from './scale.ts'
import { dashPatterns, type Mark, type Series, seriesColour, type TimeChartProps } from './types.ts'

export const AXIS_FONT = '11px Geist, ui-sans-serif, system-ui, sans-serif'
/** Of one that says nothing else. */
export const CHART_HEIGHT = 240
const DAY_SECONDS = 86_400
/** uPlot's number for it. */
const LOGARITHMIC = 3

/** Less is a click whose hand shook. */
const SHORTEST_DRAG_PIXELS = 5

export type PlotHooks = {
  onCursor: (index: number | null) => void
  onZoom: (fromSeconds: number, toSeconds: number) => void
  marks: () => readonly Mark[]
}

export function plotOptions(
  props: Omit<TimeChartProps, 'label' | 'times' | 'counts' | 'marks'>,
  width: number,
  hooks: PlotHooks,
): uPlot.Options {
  const dim = cssColour('--fs-dim')
  const line = cssColour('--fs-line')
  const logarithmic = props.scale === 'log'
  const axis = { stroke: dim, font: AXIS_FONT, ticks: { show: false } }
  return {
    width,
    height: props.height ?? CHART_HEIGHT,
    legend: { show: false },
    cursor: {
      y: false,
      drag: {
        x: props.onZoom !== undefined,
        y: false,
        setScale: false,
        dist: SHORTEST_DRAG_PIXELS,
      },
      points: { size: 7 },
      ...(props.group !== undefined && { sync: { key: props.group, filters: cursorOnly } }),
    },
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
        stroke: cssColour(seriesColour(one.colour)),
        width: props.stacked ? 0 : 1.6,
        ...(props.stacked && { fill: faded(cssColour(seriesColour(one.colour))) }),
        dash: dashPatterns[one.dash ?? 'solid'].map((length) => length * devicePixelRatio),
        points: {
          show: true,
          size: 5,
          fill: cssColour(seriesColour(one.colour)),
          filter: (plot: uPlot, index: number) => alone(plot.data[index] ?? []),
        },
      })),
    ],
    ...(props.stacked && {
      // Each area ends where the one below it begins.
      bands: props.series.slice(1).map((_, index) => ({ series: [index + 2, index + 1] })),
    }),
    hooks: {
      setSelect: [(plot) => tellZoom(plot, hooks.onZoom)],
      setCursor: [(plot) => hooks.onCursor(plot.cursor.idx ?? null)],
      draw: [(plot) => drawMarks(plot, hooks.marks())],
    },
  }
}

/** Of what charts tell each other: where the cursor is, not what is dragged. */
const cursorOnly = {
  pub: (type: string) => type === 'mousemove' || type === 'mouseleave',
}

/** Areas have no line around them: one of no height would draw it over its neighbour's. */
const FILL = 0.6
/** Colours come resolved, as rgb(…). */
const faded = (colour: string) => colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${FILL})`)

function tellZoom(plot: uPlot, onZoom: PlotHooks['onZoom']): void {
  const { left, width } = plot.select
  if (width === 0) return
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
  onZoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'))
}

/** How high each line is drawn: of parts of a whole as high as it and those below it together. */
export function heights(series: readonly Series[], stacked: boolean): (number | null)[][] {
  if (!stacked) return series.map(({ values }) => [...values])
  const isGap = (step: number) => series.every(({ values }) => values[step] == null)
  const below: number[] = []
  return series.map(({ values }) =>
    values.map((value, step) => {
      if (isGap(step)) return null
      const height = (below[step] ?? 0) + (value ?? 0)
      below[step] = height
      return height
    }),
  )
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
  return ticks.map((tick) => timeLabel(tick, (max ?? 0) - (min ?? 0)))
}

/** Of a range of so many seconds: its days, or its hours and minutes. */
export function timeLabel(seconds: number, rangeSeconds: number): string {
  const at = new Date(seconds * 1000)
  if (rangeSeconds <= DAY_SECONDS) return formatClock(at).slice(0, 5)
  return at.toLocaleDateString(dateLocale, { day: 'numeric', month: 'short' })
}

type MarkKind = NonNullable<Mark['kind']>

export const markColours = {
  rollout: '--fs-accent',
  alert: '--fs-bad',
  version: '--fs-series-2',
  person: '--fs-series-6',
} satisfies Record<MarkKind, string>

/**
 * A thin line where something happened to the farm; what it was is in the list below the chart. When a hundred nodes fall
 * silent at once, their alerts are one line.
 */
function drawMarks(plot: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plot
  const unit = devicePixelRatio
  const places: Record<MarkKind, Set<number>> = {
    rollout: new Set(),
    alert: new Set(),
    version: new Set(),
    person: new Set(),
  }
  for (const { atSeconds, kind = 'rollout' } of marks) {
    const x = Math.round(plot.valToPos(atSeconds, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    // A line of one pixel fills it, and not half of two.
    places[kind].add(x + (unit % 2) / 2)
  }
  ctx.save()
  ctx.lineWidth = unit
  ctx.setLineDash([4 * unit, 3 * unit])
  for (const [kind, xs] of Object.entries(places) as [MarkKind, Set<number>][]) {
    if (xs.size === 0) continue
    ctx.strokeStyle = cssColour(markColours[kind])
    ctx.fillStyle = ctx.strokeStyle
    ctx.beginPath()
    for (const x of xs) {
      ctx.moveTo(x, bbox.top)
      ctx.lineTo(x, bbox.top + bbox.height)
    }
    ctx.stroke()
    ctx.beginPath()
    for (const x of xs) flagPaths[kind](ctx, x, bbox.top, unit)
    ctx.fill()
  }
  ctx.restore()
}

type FlagPath = (ctx: CanvasRenderingContext2D, x: number, top: number, unit: number) => void

/** The shape at the top of each kind's line, of many in one path; lists show the same (`MarkFlag`). */
const flagPaths: Record<MarkKind, FlagPath> = {
  alert: (ctx, x, top, unit) => ctx.rect(x - 3 * unit, top, 6 * unit, 6 * unit),
  rollout: (ctx, x, top, unit) => {
    ctx.moveTo(x - 4 * unit, top)
    ctx.lineTo(x + 4 * unit, top)
    ctx.lineTo(x, top + 6 * unit)
  },
  version: (ctx, x, top, unit) => {
    ctx.moveTo(x + 3 * unit, top + 3 * unit)
    ctx.arc(x, top + 3 * unit, 3 * unit, 0, 2 * Math.PI)
  },
  person: (ctx, x, top, unit) => {
    ctx.moveTo(x, top)
    ctx.lineTo(x + 4 * unit, top + 4 * unit)
    ctx.lineTo(x, top + 8 * unit)
    ctx.lineTo(x - 4 * unit, top + 4 * unit)
  },
}
