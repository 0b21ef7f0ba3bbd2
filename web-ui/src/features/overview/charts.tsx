// SPDX-License-Identifier: MIT

import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import type { Mark, Series } from '../../components/chart/types.ts'
import { t } from '../../languages/t.ts'
import { formatRate, formatSeconds } from '../../lib/format.ts'
import type { Steps } from './measured.ts'
import classes from './overview.module.css'

const ONE_CURSOR = 'overview'

type Props = {
  steps: Steps
  marks: readonly Mark[]
  /** Leads to all charts of that time. */
  onZoom: (fromSeconds: number, toSeconds: number) => void
}

/** Two lines of one time: how long requests took, and how many there were. */
export function Charts({ steps, marks, onZoom }: Props) {
  const latency = useMemo<Series[]>(
    () => [
      { name: 'p50', values: steps.p50, colour: 1 },
      { name: 'p99', values: steps.p99, colour: 3, dash: 'dashed' },
    ],
    [steps],
  )
  const rate = useMemo<Series[]>(
    () => [{ name: t('requests/s'), values: steps.requestsPerSecond, colour: 1 }],
    [steps],
  )
  return (
    <div className={classes.charts}>
      <ChartPanel
        label={t('Latency')}
        group={ONE_CURSOR}
        times={steps.times}
        marks={marks}
        onZoom={onZoom}
        series={latency}
        format={formatSeconds}
        counts={steps.requests}
        scale="log"
        height={200}
      />
      <ChartPanel
        label={t('Requests per second')}
        group={ONE_CURSOR}
        times={steps.times}
        marks={marks}
        onZoom={onZoom}
        series={rate}
        format={formatRate}
        smallestTop={1}
        height={200}
      />
    </div>
  )
}
