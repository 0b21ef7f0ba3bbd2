// SPDX-License-Identifier: MIT
// Where the cells of a map lie, and where the keyboard goes in it. Pure.

type Sized = { nodes: number }

/** Sides of a cell with the gap beside it, in pixels: the largest with which the map is no higher than that. */
const PITCHES = [16, 14, 12, 10, 8, 7, 6, 5, 4] as const
const SMALLEST = 4
const HIGHEST = 420

export type Layout = { pitch: number; columns: number }

export function layoutOf(width: number, parts: readonly Sized[]): Layout {
  const at = (pitch: number) => ({ pitch, columns: Math.max(1, Math.floor(width / pitch)) })
  const heightOf = ({ pitch, columns }: Layout) =>
    parts.reduce((sum, { nodes }) => sum + Math.ceil(nodes / columns) * pitch, 0)
  const fitting = PITCHES.map(at).find((layout) => heightOf(layout) <= HIGHEST)
  return fitting ?? at(SMALLEST)
}

const GAP = 16
const NARROWEST = 150

/** How many parts stand side by side; 1: there is no room. */
export const columnsWithin = (width: number, parts: number): number =>
  Math.max(1, Math.min(parts, Math.floor((width + GAP) / (NARROWEST + GAP))))

export const columnWidth = (width: number, columns: number): number =>
  (width - GAP * (columns - 1)) / columns

/** The largest of each row: it says how high the row is. */
export function rowsOf(parts: readonly Sized[], columns: number): Sized[] {
  const rows = Math.ceil(parts.length / columns)
  return Array.from({ length: rows }, (_, row) => ({
    nodes: Math.max(...parts.slice(row * columns, (row + 1) * columns).map(({ nodes }) => nodes)),
  }))
}

const FIRST_LETTER = 'a'.charCodeAt(0)

/** Of each cell what its letter stands for. */
export const lettersOf = <Kind extends string>(
  cells: string,
  kinds: readonly Kind[],
  unknown: Kind,
): Kind[] => Array.from(cells, (letter) => kinds[letter.charCodeAt(0) - FIRST_LETTER] ?? unknown)

/** `from`: the first of its cells. */
export type Part<Of extends Sized = Sized> = Of & { from: number }

export function partsOf<Of extends Sized>(parts: readonly Of[]): Part<Of>[] {
  let from = 0
  return parts.map((one) => {
    const part = { ...one, from }
    from += one.nodes
    return part
  })
}

export const partOf = <Of extends Sized>(
  parts: readonly Part<Of>[],
  cell: number,
): Part<Of> | undefined => parts.find(({ from, nodes }) => cell >= from && cell < from + nodes)

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
