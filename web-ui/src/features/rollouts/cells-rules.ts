// SPDX-License-Identifier: MIT
// Where the cells of a map lie, and where the keyboard goes in it. Pure.
import type { RolloutCells } from '../../lib/api-types.ts'

type Wave = RolloutCells['waves'][number]

/** Sides of a cell with the gap beside it, in pixels: the largest with which the map is no higher than that. */
const PITCHES = [16, 14, 12, 10, 8, 7, 6, 5, 4] as const
const SMALLEST = 4
const HIGHEST = 420

export type Layout = { pitch: number; columns: number }

export function layoutOf(width: number, waves: readonly Wave[]): Layout {
  const at = (pitch: number) => ({ pitch, columns: Math.max(1, Math.floor(width / pitch)) })
  const heightOf = ({ pitch, columns }: Layout) =>
    waves.reduce((sum, { nodes }) => sum + Math.ceil(nodes / columns) * pitch, 0)
  const fitting = PITCHES.map(at).find((layout) => heightOf(layout) <= HIGHEST)
  return fitting ?? at(SMALLEST)
}

export type Part = Wave & {
  /** The first of its cells. */
  from: number
}

export function partsOf(waves: readonly Wave[]): Part[] {
  let from = 0
  return waves.map((wave) => {
    const part = { ...wave, from }
    from += wave.nodes
    return part
  })
}

export const partOf = (parts: readonly Part[], cell: number): Part | undefined =>
  parts.find(({ from, nodes }) => cell >= from && cell < from + nodes)

const LINES_AT_ONCE = 10

/** Where a key leads from a cell; null: the key is none of the map's. */
export function cellAfter(
  key: string,
  cell: number,
  cells: number,
  columns: number,
): number | null {
  const step: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * LINES_AT_ONCE,
    PageDown: columns * LINES_AT_ONCE,
    Home: -cells,
    End: cells,
  }
  const by = step[key]
  return by === undefined ? null : Math.max(0, Math.min(cells - 1, cell + by))
}

/** The cell at a place in its wave's picture; null: there is none. */
export function cellAt(
  { x, y }: { x: number; y: number },
  { pitch, columns }: Layout,
  nodes: number,
): number | null {
  const column = Math.floor(x / pitch)
  const cell = Math.floor(y / pitch) * columns + column
  return column >= 0 && column < columns && cell >= 0 && cell < nodes ? cell : null
}
