// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { lazy, Suspense, useId, useState } from 'react'
import { loadChunk } from '../../lib/load-chunk.ts'
import { formatDateTime } from '../../lib/time.ts'
import { SkeletonRows } from '../query-states.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './chart.module.css'
import { ChartTable } from './chart-table.tsx'
import type { TimeChartProps } from './types.ts'

// The plotting library is a chunk of its own.
const TimeChart = lazy(() =>
  loadChunk(() => import('./time-chart.tsx')).then((m) => ({ default: m.TimeChart })),
)

export type ChartPanelProps = TimeChartProps & {
  /** Under the title: what is measured. */
  help?: string
  controls?: React.ReactNode
}

export function ChartPanel({ help, controls, ...chart }: ChartPanelProps) {
  const headingId = useId()
  const [view, setView] = useState('chart')
  return (
    <section className="panel" aria-labelledby={headingId}>
      <div className="panel-head">
        <h2 id={headingId}>{chart.label}</h2>
        {help !== undefined && <span className="dim">{help}</span>}
        <span className="grow" />
        {controls}
        <SegmentedControl
          aria-label={`${chart.label} as`}
          value={view}
          onChange={setView}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </div>
      {view === 'chart' ? (
        <div className={classes.body}>
          <Suspense fallback={<SkeletonRows rows={6} label={chart.label} />}>
            <TimeChart {...chart} />
          </Suspense>
        </div>
      ) : (
        <ChartTable {...chart} />
      )}
      {chart.marks !== undefined && chart.marks.length > 0 && (
        <ScrollBox label="Marked in the chart" className={classes.marks}>
          <ul>
            {chart.marks.map((mark) => (
              <li key={`${mark.atSeconds} ${mark.text}`}>
                <span className={classes.flag} aria-hidden="true" />{' '}
                {formatDateTime(mark.atSeconds * 1000)}: {mark.text}
              </li>
            ))}
          </ul>
        </ScrollBox>
      )}
    </section>
  )
}
