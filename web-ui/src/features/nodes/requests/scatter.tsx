// SPDX-License-Identifier: MIT
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { cssColour } from '../../../lib/css-colour.ts'
import { formatSeconds } from '../../../lib/format.ts'
import { formatClock } from '../../../lib/time.ts'
import {
  type Area,
  areaBetween,
  boxOf,
  type Corner,
  everything,
  isEverything,
} from './area-rules.ts'
import classes from './requests.module.css'
import {
  decades,
  heightOf,
  type Live,
  type Part,
  partNames,
  parts,
  placeOf,
  SHOWN_SECONDS,
} from './rules.ts'

const HEIGHT = 280
const SIZE = 5
/** A hand that clicks moves a little. */
const CLICK_PX = 4

type Props = { live: Live; area: Area; onArea: (area: Area) => void }

/** Time to the right, how long it took upwards. Each part has a colour and a shape of its own. A mouse drags out an area. */
export function Scatter({ live, area, onArea }: Props) {
  const scheme = useComputedColorScheme('light')
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides what the colours are
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || width === 0) return
    const ratio = window.devicePixelRatio
    element.width = width * ratio
    element.height = HEIGHT * ratio
    context.scale(ratio, ratio)
    draw(context, width, live)
  }, [live, width, scheme])

  const [drag, setDrag] = useState<{ from: Corner; to: Corner } | null>(null)
  const handleUp = () => {
    if (drag === null) return
    setDrag(null)
    const { from, to } = drag
    const isClick = Math.abs(to.x - from.x) * width < CLICK_PX
    onArea(isClick ? everything : areaBetween(from, to, live.nowMs))
  }
  const box = drag
    ? boxOf(areaBetween(drag.from, drag.to, live.nowMs), live.nowMs)
    : isEverything(area)
      ? null
      : boxOf(area, live.nowMs)
  return (
    <>
      <div className={classes.plot}>
        <div
          className={classes.draggable}
          aria-hidden="true"
          onPointerDown={(event) => {
            // A finger scrolls the page: it has the fields.
            if (event.button !== 0 || event.pointerType === 'touch') return
            event.currentTarget.setPointerCapture(event.pointerId)
            const corner = cornerOf(event)
            setDrag({ from: corner, to: corner })
          }}
          onPointerMove={(event) => drag && setDrag({ ...drag, to: cornerOf(event) })}
          onPointerUp={handleUp}
          onPointerCancel={() => setDrag(null)}
        >
          <canvas ref={canvas} className={classes.canvas} />
          {box !== null && (
            <div
              className={classes.box}
              style={{
                left: `${box.left * 100}%`,
                right: `${(1 - box.right) * 100}%`,
                bottom: `${box.low * 100}%`,
                top: `${(1 - box.high) * 100}%`,
              }}
            />
          )}
        </div>
        {decades.map((seconds) => (
          <span
            key={seconds}
            className={classes.decade}
            style={{ bottom: `${heightOf(seconds) * 100}%` }}
            aria-hidden="true"
          >
            {formatSeconds(seconds)}
          </span>
        ))}
      </div>
      <div className={classes.times} aria-hidden="true">
        <span>{formatClock(live.nowMs - SHOWN_SECONDS * 1000)}</span>
        <span>{formatClock(live.nowMs)}</span>
      </div>
    </>
  )
}

/** As the points are placed: a mark's middle is half of it further in. */
function cornerOf(event: React.PointerEvent): Corner {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
  return {
    x: (event.clientX - left - SIZE / 2) / (width - SIZE),
    y: 1 - (event.clientY - top - SIZE / 2) / (height - SIZE),
  }
}

function draw(context: CanvasRenderingContext2D, width: number, { points, nowMs }: Live) {
  const line = cssColour('--fs-line')
  for (const seconds of decades) {
    context.fillStyle = line
    context.fillRect(0, Math.round((1 - heightOf(seconds)) * (HEIGHT - 1)), width, 1)
  }
  for (const part of partNames) {
    context.fillStyle = cssColour(parts[part].colour)
    context.beginPath()
    for (const point of points) {
      if (point.part !== part) continue
      const { x, y } = placeOf(point, nowMs)
      mark(context, part, x * (width - SIZE), (1 - y) * (HEIGHT - SIZE))
    }
    context.fill()
  }
}

function mark(context: CanvasRenderingContext2D, part: Part, x: number, y: number) {
  const half = SIZE / 2
  if (part === 'disk') {
    context.rect(x, y, SIZE, SIZE)
  } else if (part === 'lookUp') {
    context.moveTo(x + half, y)
    context.lineTo(x + SIZE, y + SIZE)
    context.lineTo(x, y + SIZE)
  } else if (part === 'write') {
    context.moveTo(x + SIZE, y + half)
    context.arc(x + half, y + half, half, 0, 2 * Math.PI)
  } else {
    context.moveTo(x + half, y)
    context.lineTo(x + SIZE, y + half)
    context.lineTo(x + half, y + SIZE)
    context.lineTo(x, y + half)
  }
}

const shapes: Record<Part, string> = {
  lookUp: 'M5 0L10 10H0Z',
  disk: 'M0 0H10V10H0Z',
  write: 'M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z',
  node: 'M5 0L10 5L5 10L0 5Z',
}

export function Legend({ label }: { label: string }) {
  return (
    <p className={classes.legend}>
      <span className="dim">{label}:</span>
      {partNames.map((part) => (
        <span key={part} className={classes.key}>
          <svg viewBox="0 0 10 10" className={classes.shape} aria-hidden="true">
            <path d={shapes[part]} fill={`var(${parts[part].colour})`} />
          </svg>
          {parts[part].label}
        </span>
      ))}
    </p>
  )
}
