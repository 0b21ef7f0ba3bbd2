// SPDX-License-Identifier: MIT
import { useMemo } from 'react'
import { DASH, formatCount } from '../../lib/format.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ChartTable, type TableColumn } from './chart-table.tsx'
import { Heatmap } from './heatmap.tsx'
import {
  type Grid,
  gridOf,
  gridRows,
  type HeatmapCounts,
  type RowRange,
  rowWords,
} from './heatmap-grid.ts'
import type { Mark } from './types.ts'

export type HeatmapPanelProps = {
  label: string
  help?: string | undefined
  counts: HeatmapCounts
  /** Which rows it has; left out: those that it needs. */
  within?: RowRange | undefined
  marks?: readonly Mark[]
  onZoom?: (fromSeconds: number, toSeconds: number) => void
}

/** How many requests took how long, over time. */
export function HeatmapPanel(props: HeatmapPanelProps) {
  const { label, help, counts, within, marks = [], onZoom } = props
  const grid = useMemo(() => gridOf(counts, within), [counts, within])
  return (
    <ChartFrame
      label={label}
      help={help}
      rows={() => gridRows(grid)}
      table={<ChartTable label={label} times={grid.times} columns={columnsOf(grid)} />}
    >
      <Heatmap label={label} grid={grid} marks={marks} onZoom={onZoom} />
    </ChartFrame>
  )
}

/** The longest at the right. */
const columnsOf = (grid: Grid): TableColumn[] =>
  Array.from({ length: grid.rows }, (_, row) => ({
    name: rowWords(grid, row),
    cell: (step) => countWords(grid.steps[step]?.[row]),
  }))

const countWords = (count: number | undefined): string =>
  count === undefined ? DASH : formatCount(count)
