// SPDX-License-Identifier: MIT

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import { MarkList } from '../../components/chart/mark-list.tsx'
import { LATENCY_SCALE, type Scale } from '../../components/chart/scale.ts'
import { ScaleSwitch } from '../../components/chart/scale-switch.tsx'
import type { Mark, Series } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeBar } from '../../components/time-bar.tsx'
import { useHappened } from '../../hooks/use-happened.ts'
import { inSentence, t } from '../../languages/t.ts'
import type { Metrics, MetricsSeries, NodeDetail, Session } from '../../lib/api-types.ts'
import { formatByteRate, formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import type { About } from '../../lib/happened.ts'
import { isStage, stages } from '../../lib/stages.ts'
import {
  chosenSpan,
  fixedSpan,
  rangeOf,
  stepFor,
  type TimeSearch,
  withTime,
} from '../../lib/time-range.ts'
import { metricsQuery } from './api.ts'
import classes from './node-screen.module.css'
import type { NodeSearch } from './node-search.ts'

export type NodeChartsProps = {
  node: NodeDetail
  session: Session
  search: NodeSearch
  onSearch: (search: NodeSearch) => void
}

export function NodeCharts({ node, session, search, onSearch }: NodeChartsProps) {
  const { id } = node
  const { range, from, to, stage = 'total' } = search
  const time = useMemo((): TimeSearch => ({ range, from, to }), [range, from, to])
  const metrics = useQuery(metricsQuery([id], { ...windowOf(time), stage }))
  const config = (node.sync.desired ?? node.sync.effective)?.version?.config
  const about = useMemo(
    (): About => ({
      rollout: (one) => one.config === config,
      alert: ({ subject }) =>
        subject.kind === 'node' ? subject.id === id : subject.kind === 'set',
    }),
    [config, id],
  )
  const { marks } = useHappened(session, time, about)
  const changeTime = (next: TimeSearch) => onSearch(withTime(search, next))
  return (
    <section className="stack" aria-label={t('Measurements')}>
      <div className="row">
        <TimeBar time={time} onTime={changeTime} />
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
              marks={marks}
              onZoom={(first, last) => changeTime(chosenSpan(first, last, Date.now() / 1000))}
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
  marks: readonly Mark[]
  onZoom: (fromSeconds: number, toSeconds: number) => void
}

/** Of all its charts. */
const ONE_CURSOR = 'node'

function windowOf(time: TimeSearch) {
  const fixed = fixedSpan(time)
  if (fixed === null) return rangeOf(time)
  const { from, to } = fixed
  return { rangeSeconds: to - from, untilSeconds: to, stepSeconds: stepFor(fixed) }
}

function Charts({ metrics, series, scale, onScale, marks, onZoom }: ChartsProps) {
  const { times } = metrics
  const shared = { times, marks, onZoom, group: ONE_CURSOR }
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
        {...shared}
        label={label}
        controls={
          <ScaleSwitch label={t('{label}: scale', { label })} scale={scale} onScale={onScale} />
        }
        scale={scale}
        help={t(
          'steps of {stepSeconds} s; gaps are steps without requests. Drag over a chart to zoom',
          {
            stepSeconds: metrics.stepSeconds,
          },
        )}
        series={latency}
        format={formatSeconds}
        counts={series.count}
        height={260}
      />
      <div className={classes.small}>
        <ChartPanel
          {...shared}
          label={t('Requests per second')}
          series={rate}
          format={formatRate}
          smallestTop={1}
          height={140}
        />
        <ChartPanel
          {...shared}
          label={t('Share of 4xx and 5xx answers')}
          series={errors}
          format={formatRatio}
          smallestTop={0.01}
          height={140}
        />
        <ChartPanel
          {...shared}
          label={t('Bytes per second')}
          series={bytes}
          format={formatByteRate}
          height={140}
        />
      </div>
      <MarkList marks={marks} />
    </>
  )
}
