// SPDX-License-Identifier: MIT
// The cells of one part of a map, drawn: one element however many they are. What was drawn stays; of an answer that follows only
// the cells that have changed are drawn again.
import { useComputedColorScheme } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { cssColour } from '../../lib/css-colour.ts'
import type { ShapePaths } from '../status-badge.tsx'
import classes from './cells.module.css'
import { cellAt, type Layout } from './cells-rules.ts'

export type CellLook = {
  /** A variable of the palette. */
  colour: string
  paths: ShapePaths
}

type Props = {
  /** What each cell is; the same word looks the same. */
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  layout: Layout
  /** The cell that the keyboard or the pointer is at. */
  marked: number | null
  onPoint: (cell: number | null) => void
  onPick: (cell: number) => void
}

type Drawn = { key: string; kinds: readonly string[]; lookOf: Props['lookOf'] | null }

export function CellsPicture({ kinds, lookOf, layout, marked, onPoint, onPick }: Props) {
  const scheme = useComputedColorScheme('light')
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawn = useRef<Drawn>({ key: '', kinds: [], lookOf: null })
  const { pitch, columns } = layout
  const lines = Math.ceil(kinds.length / columns)

  useLayoutEffect(() => {
    const element = canvas.current
    if (element === null) return
    const key = `${scheme} ${pitch} ${columns} ${kinds.length}`
    const isOld = drawn.current.key === key && drawn.current.lookOf === lookOf
    const before = isOld ? drawn.current.kinds : null
    draw(element, { kinds, lookOf, pitch, columns, before })
    drawn.current = { key, kinds, lookOf }
  }, [kinds, lookOf, pitch, columns, scheme])

  const cellOf = (event: React.MouseEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return cellAt({ x: event.clientX - left, y: event.clientY - top }, layout, kinds.length)
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

type Drawing = Pick<Props, 'kinds' | 'lookOf'> & {
  pitch: number
  columns: number
  /** As they are on the canvas; null: nothing is that could stay. */
  before: readonly string[] | null
}

function draw(canvas: HTMLCanvasElement, { kinds, lookOf, pitch, columns, before }: Drawing): void {
  const scale = window.devicePixelRatio
  const side = Math.round(pitch * scale)
  if (before === null) {
    canvas.width = columns * side
    canvas.height = Math.ceil(kinds.length / columns) * side
  }
  const context = canvas.getContext('2d')
  if (context === null) return
  const stamps = new Map<string, HTMLCanvasElement>()
  for (const [cell, kind] of kinds.entries()) {
    if (before?.[cell] === kind) continue
    const stamp = stamps.get(kind) ?? stampOf(lookOf(kind), side, scale)
    stamps.set(kind, stamp)
    const [x, y] = [(cell % columns) * side, Math.floor(cell / columns) * side]
    context.clearRect(x, y, side, side)
    context.drawImage(stamp, x, y)
  }
}

const SHAPE_BOX = 12

/** Drawn once, and copied to each cell. */
function stampOf({ colour, paths }: CellLook, side: number, scale: number): HTMLCanvasElement {
  const stamp = document.createElement('canvas')
  stamp.width = side
  stamp.height = side
  const context = stamp.getContext('2d')
  if (context === null) return stamp
  const size = side - scale
  const { fill, line } = paths
  context.scale(size / SHAPE_BOX, size / SHAPE_BOX)
  context.fillStyle = cssColour(colour)
  context.strokeStyle = context.fillStyle
  context.lineWidth = 1.8
  if (line) context.stroke(new Path2D(line))
  if (fill) context.fill(new Path2D(fill))
  return stamp
}
