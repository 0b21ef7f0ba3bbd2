// SPDX-License-Identifier: MIT
// The cells of one wave, drawn: one element however many they are. What was drawn stays; of an answer that follows only
// the cells that have changed are drawn again.
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { shapePaths, type Verdict } from '../../components/status-badge.tsx'
import type { TaskStanding } from '../../lib/api-types.ts'
import { cssColour } from '../../lib/css-colour.ts'
import classes from './cells.module.css'
import { cellAt, type Layout } from './cells-rules.ts'
import { standingVerdict } from './rules.ts'

type Props = {
  states: readonly TaskStanding[]
  layout: Layout
  /** The cell that the keyboard or the pointer is at. */
  marked: number | null
  onPoint: (cell: number | null) => void
  onPick: (cell: number) => void
}

type Drawn = { key: string; states: readonly TaskStanding[] }

export function CellsPicture({ states, layout, marked, onPoint, onPick }: Props) {
  const scheme = useComputedColorScheme('light')
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawn = useRef<Drawn>({ key: '', states: [] })
  const { pitch, columns } = layout
  const lines = Math.ceil(states.length / columns)

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const key = `${scheme} ${pitch} ${columns} ${states.length}`
    const isOld = drawn.current.key === key
    draw(element, { states, pitch, columns, before: isOld ? drawn.current.states : null })
    drawn.current = { key, states }
  }, [states, pitch, columns, scheme])

  const cellOf = (event: React.MouseEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return cellAt({ x: event.clientX - left, y: event.clientY - top }, layout, states.length)
  }
  return (
    <div
      className={classes.picture}
      aria-hidden="true"
      style={{ width: columns * pitch, height: lines * pitch }}
      onMouseMove={(event) => onPoint(cellOf(event))}
      onMouseLeave={() => onPoint(null)}
      onClick={(event) => {
        const cell = cellOf(event)
        if (cell !== null) onPick(cell)
      }}
    >
      <canvas ref={canvas} />
      {marked !== null && (
        <span
          className={classes.marked}
          style={{
            left: (marked % columns) * pitch,
            top: Math.floor(marked / columns) * pitch,
            width: pitch,
            height: pitch,
          }}
        />
      )}
    </div>
  )
}

type Drawing = {
  states: readonly TaskStanding[]
  pitch: number
  columns: number
  /** As they are on the canvas; null: nothing is that could stay. */
  before: readonly TaskStanding[] | null
}

function draw(canvas: HTMLCanvasElement, { states, pitch, columns, before }: Drawing): void {
  const scale = window.devicePixelRatio
  const side = Math.round(pitch * scale)
  if (before === null) {
    canvas.width = columns * side
    canvas.height = Math.ceil(states.length / columns) * side
  }
  const context = canvas.getContext('2d')
  if (context === null) return
  const stamps = new Map<TaskStanding, HTMLCanvasElement>()
  for (const [cell, standing] of states.entries()) {
    if (before?.[cell] === standing) continue
    const stamp = stamps.get(standing) ?? stampOf(standingVerdict[standing], side, scale)
    stamps.set(standing, stamp)
    const [x, y] = [(cell % columns) * side, Math.floor(cell / columns) * side]
    context.clearRect(x, y, side, side)
    context.drawImage(stamp, x, y)
  }
}

const SHAPE_BOX = 12

/** Drawn once, and copied to each cell. */
function stampOf({ tone, shape }: Verdict, side: number, scale: number): HTMLCanvasElement {
  const stamp = document.createElement('canvas')
  stamp.width = side
  stamp.height = side
  const context = stamp.getContext('2d')
  if (context === null) return stamp
  const size = side - scale
  const { fill, line } = shapePaths[shape]
  context.scale(size / SHAPE_BOX, size / SHAPE_BOX)
  context.fillStyle = cssColour(`--fs-${tone}`)
  context.strokeStyle = context.fillStyle
  context.lineWidth = 1.8
  if (line) context.stroke(new Path2D(line))
  if (fill) context.fill(new Path2D(fill))
  return stamp
}
