// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import uPlot from 'uplot'
import { inTurn } from '../../lib/in-turn.ts'
import { formatClock, formatDateTime } from '../../lib/time.ts'
import { Quantity } from '../quantity.tsx'
import classes from './chart.module.css'
import { CHART_HEIGHT, heights, plotOptions } from './plot.ts'
import { dashPatterns, type Series, seriesColour, type TimeChartProps } from './types.ts'

const PAGE = 10
/** How long the new range is beside the old one. */
const zoomFactors: Record<string, number | undefined> = { '+': 0.5, '-': 2 }

export function TimeChart(props: TimeChartProps) {
  const { times, series, marks, scale: valueScale, stacked = false, onZoom } = props
  const scheme = useComputedColorScheme('light')
  const host = useRef<HTMLDivElement>(null)
  const drawn = useRef<{ plot: uPlot; look: string } | null>(null)
  const [isDrawn, setDrawn] = useState(false)
  const [cursor, setCursor] = useState<number | null>(null)
  const [spoken, setSpoken] = useState('')

  const readMarks = useEffectEvent(() => marks ?? [])
  const zoom = useEffectEvent((from: number, to: number) => onZoom?.(from, to))
  // A chart is made once per set of series, scale and colour scheme; new data only moves its lines.
  const names = series.map((one) => `${one.name} ${one.colour} ${one.dash}`).join()
  const look = `${scheme} ${valueScale} ${names}`
  const draw = useEffectEvent((parent: HTMLElement) => {
    const data = [times, ...heights(series, stacked)] as uPlot.AlignedData
    if (drawn.current?.look === look) return drawn.current.plot.setData(data)
    drawn.current?.plot.destroy()
    const hooks = { onCursor: setCursor, onZoom: zoom, marks: () => readMarks() }
    const plot = new uPlot(plotOptions(props, parent.clientWidth, hooks), data, parent)
    drawn.current = { plot, look }
    setDrawn(true)
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: what it is drawn with is read when these change
  useEffect(() => {
    const parent = host.current
    return parent === null ? undefined : inTurn(parent, () => draw(parent))
  }, [look, times, series, stacked, marks])

  useEffect(() => {
    const parent = host.current
    if (parent === null) return
    const observer = new ResizeObserver(() => {
      const { plot } = drawn.current ?? {}
      const width = parent.clientWidth
      if (plot && width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height })
    })
    observer.observe(parent)
    return () => {
      observer.disconnect()
      drawn.current?.plot.destroy()
      drawn.current = null
    }
  }, [])

  const moveTo = (index: number) => {
    const plot = drawn.current?.plot
    const at = times[Math.max(0, Math.min(times.length - 1, index))]
    if (plot === undefined || at === undefined) return
    // Its types leave out the last: it tells the charts of the same group, too.
    const moveCursor: (to: { left: number; top: number }, fires: boolean, tells: boolean) => void =
      plot.setCursor
    moveCursor({ left: plot.valToPos(at, 'x'), top: 0 }, true, true)
    setSpoken(readout(props, times.indexOf(at)))
  }
  const handleKey = (event: React.KeyboardEvent) => {
    const here = cursor ?? times.length - 1
    const factor = onZoom && zoomFactors[event.key]
    if (factor !== undefined) {
      event.preventDefault()
      const [first = 0, last = 0, at = 0] = [times[0], times.at(-1), times[here]]
      const half = ((last - first) * factor) / 2
      return onZoom?.(at - half, at + half)
    }
    const target = {
      ArrowLeft: here - 1,
      ArrowRight: cursor === null ? here : here + 1,
      PageUp: here - PAGE,
      PageDown: here + PAGE,
      Home: 0,
      End: times.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    moveTo(target)
  }

  return (
    <div>
      <Readout {...props} index={cursor} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; this groups a drawing */}
      <div
        ref={host}
        className={classes.plot}
        style={{ minHeight: props.height ?? CHART_HEIGHT }}
        role="group"
        aria-busy={!isDrawn}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the chart's cursor
        tabIndex={0}
        aria-label={
          onZoom
            ? t(
                '{label}: chart. Arrow keys read its values, plus and minus zoom; the table holds the same.',
                { label: props.label },
              )
            : t('{label}: chart. Arrow keys read its values; the table holds the same.', {
                label: props.label,
              })
        }
        onKeyDown={handleKey}
      />
      <div className="visually-hidden" aria-live="polite">
        {spoken}
      </div>
    </div>
  )
}

function readout({ times, series, format, counts }: TimeChartProps, index: number): string {
  const at = times[index]
  if (at === undefined) return t('No data in this range')
  const values = series.map((one) => `${one.name} ${format(one.values[index] ?? null)}`)
  const count = counts?.[index]
  const sample =
    counts === undefined
      ? []
      : [
          count == null
            ? t('no data')
            : t('{count, plural, one {# request} other {# requests}}', { count }),
        ]
  return [formatDateTime(at * 1000), ...values, ...sample].join(', ')
}

/** A piece of the line as it is drawn: its colour and its dashes. */
function Swatch({ series: { colour, dash = 'solid' } }: { series: Series }) {
  return (
    <svg className={classes.swatch} viewBox="0 0 20 4" aria-hidden="true">
      <path
        d="M0 2H20"
        stroke={`var(${seriesColour(colour)})`}
        strokeWidth="2.5"
        strokeDasharray={dashPatterns[dash].join(' ')}
      />
    </svg>
  )
}

/** The values under the cursor, or else the newest there are. */
function Readout(props: TimeChartProps & { index: number | null }) {
  const { times, series, format, counts } = props
  const newest = times.findLastIndex((_, step) => series.some((one) => one.values[step] != null))
  const index = props.index ?? newest
  const at = times[index]
  return (
    <div className={classes.readout}>
      <span className={classes.when}>
        {at === undefined ? t('No data in this range') : formatClock(at * 1000)}
      </span>
      {series.map((one) => (
        <span key={one.name} className={classes.key}>
          <Swatch series={one} />
          <span className="dim">{one.name}</span> <Quantity of={one.values[index]} as={format} />
        </span>
      ))}
      {counts !== undefined && at !== undefined && (
        <span className="dim">
          {counts[index] == null
            ? t('no data')
            : t('{index, plural, one {# request} other {# requests}}', { index: counts[index] })}
        </span>
      )}
    </div>
  )
}
