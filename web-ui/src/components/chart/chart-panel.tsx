// SPDX-License-Identifier: MIT

import { lazy, Suspense } from 'react'
import { t } from '../../languages/t.ts'
import { formatCount } from '../../lib/format.ts'
import { part } from '../../lib/load-chunk.ts'
import { Quantity } from '../quantity.tsx'
import { SkeletonRows } from '../query-states.tsx'
import { ChartFrame } from './chart-frame.tsx'
import { ChartTable, type TableColumn } from './chart-table.tsx'
import { seriesRows } from './csv.ts'
import { MarkList } from './mark-list.tsx'
import type { TimeChartProps } from './types.ts'

// The plotting library is a chunk of its own.
const TimeChart = lazy(
  part(() => import('./time-chart.tsx').then((m) => ({ default: m.TimeChart }))),
)

export type ChartPanelProps = TimeChartProps & {
  /** Under the title: what is measured. */
  help?: string | undefined
  controls?: React.ReactNode
}

export function ChartPanel({ help, controls, ...chart }: ChartPanelProps) {
  return (
    <ChartFrame
      label={chart.label}
      help={help}
      controls={controls}
      rows={() => seriesRows(chart)}
      legend={chart.series}
      table={<ChartTable label={chart.label} times={chart.times} columns={columnsOf(chart)} />}
      foot={
        chart.group === undefined && chart.marks !== undefined && <MarkList marks={chart.marks} />
      }
    >
      <Suspense fallback={<SkeletonRows rows={6} label={chart.label} />}>
        <TimeChart {...chart} />
      </Suspense>
    </ChartFrame>
  )
}

const columnsOf = ({ series, format, counts }: TimeChartProps): TableColumn[] => [
  ...series.map(({ name, values }) => ({
    name,
    cell: (step: number) => <Quantity of={values[step]} as={format} />,
  })),
  ...(counts ? [{ name: t('Requests'), cell: (step: number) => countWords(counts[step]) }] : []),
]

const countWords = (count: number | null | undefined): string =>
  count == null ? t('no data') : formatCount(count)
