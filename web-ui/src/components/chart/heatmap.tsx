// SPDX-License-Identifier: MIT

import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../languages/t.ts'
import { cssColour } from '../../lib/css-colour.ts'
import { formatRatio, formatSeconds } from '../../lib/format.ts'
import { inTurn } from '../../lib/in-turn.ts'
import { formatClock, formatDateTime } from '../../lib/time.ts'
import classes from './chart.module.css'
import {
  type Grid,
  labelledTimes,
  lowEnd,
  moved,
  type Place,
  rowWords,
  strength,
} from './heatmap-grid.ts'
import { AXIS_FONT, markColours, timeLabel } from './plot.ts'
import type { Mark } from './types.ts'

const HEIGHT = 280
/** Of the axes: at the left and below. */
const LEFT = 60
const BELOW = 22
const PLOT_HEIGHT = HEIGHT - BELOW
/** Labels closer together than this could not be read. */
const LABEL_PIXELS = 28
const TIME_PIXELS = 90

type Props = {
  label: string
  grid: Grid
  marks: readonly Mark[]
  onZoom: ((fromSeconds: number, toSeconds: number) => void) | undefined
}

export function Heatmap({ label, grid, marks, onZoom }: Props) {
  const scheme = useComputedColorScheme('light')
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [place, setPlace] = useState<Place | null>(null)
  const [spoken, setSpoken] = useState('')
  // Where a drag began, and where it is.
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null)

  useEffect(() => {
    const element = host.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides what the colours are
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || width <= LEFT) return
    return inTurn(element, () => {
      const ratio = window.devicePixelRatio
      element.width = width * ratio
      element.height = HEIGHT * ratio
      context.scale(ratio, ratio)
      draw(context, width, grid, marks)
    })
  }, [grid, marks, width, scheme])

  const { times, rows, stepSeconds } = grid
  const cellWidth = (width - LEFT) / Math.max(1, times.length)
  const cellHeight = PLOT_HEIGHT / Math.max(1, rows)
  const placeAt = (event: React.PointerEvent): Place => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const step = Math.floor((event.clientX - left - LEFT) / cellWidth)
    const row = Math.floor((PLOT_HEIGHT - (event.clientY - top)) / cellHeight)
    return {
      step: Math.max(0, Math.min(times.length - 1, step)),
      row: Math.max(0, Math.min(rows - 1, row)),
    }
  }
  const handleKey = (event: React.KeyboardEvent) => {
    const here = place ?? { step: times.length, row: 0 }
    const to = moved(here, event.key, grid)
    if (to === undefined) return
    event.preventDefault()
    setPlace(to)
    setSpoken(cellWords(grid, to, formatDateTime))
  }
  const endDrag = () => {
    setDrag(null)
    if (drag === null || drag.from === drag.to) return
    const [first = 0, last = 0] = [drag.from, drag.to]
      .toSorted((a, b) => a - b)
      .map((step) => times[step])
    onZoom?.(first, last + stepSeconds)
  }
  return (
    <div>
      <div className={classes.readout}>
        {place === null ? (
          <span className="dim">
            {t('{total, plural, one {# request} other {# requests}} in this time', {
              total: totalOf(grid),
            })}
          </span>
        ) : (
          cellWords(grid, place, formatClock)
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; this groups a drawing */}
      <div
        ref={host}
        className={classes.heatmap}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move from cell to cell
        tabIndex={0}
        aria-label={t(
          '{label}: heatmap. Arrow keys move from cell to cell; the table holds the same.',
          { label },
        )}
        onKeyDown={handleKey}
        onPointerMove={(event) => {
          const at = placeAt(event)
          setPlace(at)
          if (drag !== null) setDrag({ ...drag, to: at.step })
        }}
        onPointerDown={(event) => {
          const { step } = placeAt(event)
          if (onZoom) setDrag({ from: step, to: step })
        }}
        onPointerUp={endDrag}
        onPointerLeave={() => {
          setDrag(null)
          setPlace(null)
        }}
      >
        <canvas ref={canvas} className={classes.cells} />
        {drag !== null && drag.from !== drag.to && (
          <div
            className={classes.dragged}
            style={{
              left: LEFT + Math.min(drag.from, drag.to) * cellWidth,
              width: (Math.abs(drag.to - drag.from) + 1) * cellWidth,
              height: PLOT_HEIGHT,
            }}
          />
        )}
        {place !== null && rows > 0 && (
          <div
            className={classes.cell}
            style={{
              left: LEFT + place.step * cellWidth,
              top: PLOT_HEIGHT - (place.row + 1) * cellHeight,
              width: cellWidth,
              height: cellHeight,
            }}
          />
        )}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {spoken}
      </div>
    </div>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
const totalOf = ({ steps }: Grid): number =>
  sum(steps.flatMap((counts) => (counts ? sum(counts) : [])))

function cellWords(grid: Grid, { step, row }: Place, format: (ms: number) => string): string {
  const at = format((grid.times[step] ?? 0) * 1000)
  const counts = grid.steps[step]
  if (!counts) return t('{at}: nothing was measured', { at })
  const count = counts[row] ?? 0
  const all = sum(counts)
  const share =
    all > 0
      ? t(', {count} of {all, plural, one {# request} other {# requests}}', {
          count: formatRatio(count / all),
          all,
        })
      : ''
  return t('{at}, {grid}: {count, plural, one {# request} other {# requests}}{share}', {
    at,
    grid: rowWords(grid, row),
    count,
    share,
  })
}

function draw(
  context: CanvasRenderingContext2D,
  width: number,
  grid: Grid,
  marks: readonly Mark[],
): void {
  const { times, stepSeconds, steps, rows, most } = grid
  const cellWidth = (width - LEFT) / Math.max(1, times.length)
  const cellHeight = PLOT_HEIGHT / Math.max(1, rows)
  const xOf = (seconds: number) => LEFT + ((seconds - (times[0] ?? 0)) / stepSeconds) * cellWidth
  const [measured, full] = [cssColour('--fs-raised'), cssColour('--fs-series-1')]
  steps.forEach((counts, step) => {
    if (counts === null) return
    const x = LEFT + step * cellWidth
    context.fillStyle = measured
    context.fillRect(x, 0, cellWidth + 0.5, PLOT_HEIGHT)
    context.fillStyle = full
    counts.forEach((count, row) => {
      if (count === 0) return
      context.globalAlpha = strength(count, most)
      context.fillRect(x, PLOT_HEIGHT - (row + 1) * cellHeight, cellWidth, cellHeight)
    })
    context.globalAlpha = 1
  })
  drawAxes(context, width, grid, cellHeight, xOf)
  for (const { atSeconds, kind = 'rollout' } of marks) {
    const x = xOf(atSeconds)
    if (x < LEFT || x > width) continue
    context.fillStyle = cssColour(markColours[kind])
    context.fillRect(x, 0, 1, PLOT_HEIGHT)
    context.fillRect(x - 3, 0, 7, 5)
  }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  width: number,
  grid: Grid,
  cellHeight: number,
  xOf: (seconds: number) => number,
): void {
  const { times, lowest, rows, stepSeconds } = grid
  context.font = AXIS_FONT
  context.fillStyle = cssColour('--fs-dim')
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  const every = Math.max(1, Math.ceil(LABEL_PIXELS / cellHeight))
  for (let row = every; row < rows; row += every) {
    context.fillText(formatSeconds(lowEnd(lowest + row)), LEFT - 6, PLOT_HEIGHT - row * cellHeight)
  }
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  context.textAlign = 'center'
  for (const at of labelledTimes(grid, Math.max(1, (width - LEFT) / TIME_PIXELS))) {
    const x = xOf(at)
    if (x > width - TIME_PIXELS / 4) break
    context.fillText(timeLabel(at, last + stepSeconds - first), x, HEIGHT - BELOW / 2)
  }
}
