// SPDX-License-Identifier: MIT

import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import { LATENCY_SCALE, type Scale } from '../../components/chart/scale.ts'
import { ScaleSwitch } from '../../components/chart/scale-switch.tsx'
import type { Mark, Series } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { inSentence, t } from '../../languages/t.ts'
import type { Metrics, MetricsSeries } from '../../lib/api-types.ts'
import { formatByteRate, formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import { isStage, stages } from '../../lib/stages.ts'
import { isRange, ranges } from '../../lib/time-range.ts'
import { metricsQuery } from './api.ts'
import classes from './node-screen.module.css'
import type { NodeSearch } from './node-search.ts'

export type NodeChartsProps = {
  id: string
  search: NodeSearch
  onSearch: (search: NodeSearch) => void
}

export function NodeCharts({ id, search, onSearch }: NodeChartsProps) {
  const { rangeSeconds, stepSeconds } = ranges[search.range ?? '15m']
  const stage = search.stage ?? 'total'
  const metrics = useQuery(metricsQuery([id], { rangeSeconds, stepSeconds, stage }))
  return (
    <section className="stack" aria-label={t('Measurements')}>
      <div className="row">
        <SegmentedControl
          aria-label={t('Time range')}
          value={search.range ?? '15m'}
          onChange={(range) => isRange(range) && onSearch({ ...search, range })}
          data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
        />
        <NativeSelect
          size="xs"
          aria-label={t('Stage of a request')}
          value={stage}
          onChange={({ currentTarget: { value } }) =>
            isStage(value) && onSearch({ ...search, stage: value })
          }
          data={Object.entries(stages).map(([value, { label }]) => ({ value, label }))}
        />
        <span className="dim">{stages[stage].help}</span>
      </div>
      <QueryStates query={metrics} what={t('The measurements')} skeletonRows={8}>
        {(data) => {
          const series = data.series.find((one) => one.nodeId === id)
          return series === undefined || series.count.every((count) => count === null) ? (
            <div className="panel">
              <EmptyState title={t('No measurement in this range')}>
                {t(
                  'The node reports only what it served. Send it requests, or choose a longer range.',
                )}
              </EmptyState>
            </div>
          ) : (
            <Charts
              metrics={data}
              series={series}
              scale={search.scale ?? LATENCY_SCALE}
              onScale={(scale) => onSearch({ ...search, scale })}
            />
          )
        }}
      </QueryStates>
    </section>
  )
}

type ChartsProps = {
  metrics: Metrics
  series: MetricsSeries
  scale: Scale
  onScale: (scale: Scale) => void
}

function Charts({ metrics, series, scale, onScale }: ChartsProps) {
  const { times } = metrics
  const latency = useMemo<Series[]>(
    () => [
      { name: 'p50', values: series.p50Seconds, colour: 1 },
      { name: 'p90', values: series.p90Seconds, colour: 2, dash: 'dashed' },
      { name: 'p99', values: series.p99Seconds, colour: 3, dash: 'dotted' },
    ],
    [series],
  )
  const rate = useMemo<Series[]>(
    () => [{ name: t('requests/s'), values: series.requestsPerSecond, colour: 1 }],
    [series],
  )
  const errors = useMemo<Series[]>(
    () => [
      { name: '5xx', values: series.errorRatio, colour: 3 },
      { name: '4xx', values: series.clientErrorRatio, colour: 2 },
      { name: t('404 alone'), values: series.notFoundRatio, colour: 1 },
    ],
    [series],
  )
  const bytes = useMemo<Series[]>(
    () => [{ name: t('sent'), values: series.bytesPerSecond, colour: 2 }],
    [series],
  )
  const marks = useMemo<Mark[]>(
    () => metrics.annotations.map(({ at, text }) => ({ atSeconds: Date.parse(at) / 1000, text })),
    [metrics.annotations],
  )
  const label = t('Latency: {label}', { label: inSentence(stages[metrics.stage].label) })
  const lost = series.lostWindows.reduce((sum, windows) => sum + windows, 0)
  return (
    <>
      {lost > 0 && (
        <Notice
          tone="warn"
          title={t('{lost, plural, one {# report} other {# reports}} of this time never came', {
            lost,
          })}
        >
          {t(
            'The node measured but could not report in time: what it served then is missing below.',
          )}
        </Notice>
      )}
      <ChartPanel
        label={label}
        controls={
          <ScaleSwitch label={t('{label}: scale', { label })} scale={scale} onScale={onScale} />
        }
        scale={scale}
        help={t('steps of {stepSeconds} s; gaps are steps without requests', {
          stepSeconds: metrics.stepSeconds,
        })}
        times={times}
        series={latency}
        format={formatSeconds}
        counts={series.count}
        marks={marks}
        height={260}
      />
      <div className={classes.small}>
        <ChartPanel
          label={t('Requests per second')}
          times={times}
          series={rate}
          format={formatRate}
          smallestTop={1}
          height={140}
        />
        <ChartPanel
          label={t('Share of 4xx and 5xx answers')}
          times={times}
          series={errors}
          format={formatRatio}
          smallestTop={0.01}
          height={140}
        />
        <ChartPanel
          label={t('Bytes per second')}
          times={times}
          series={bytes}
          format={formatByteRate}
          height={140}
        />
      </div>
    </>
  )
}
