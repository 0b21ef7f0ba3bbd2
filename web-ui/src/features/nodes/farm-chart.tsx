// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import type { Scale } from '../../components/chart/scale.ts'
import { ScaleSwitch } from '../../components/chart/scale-switch.tsx'
import type { Mark } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import type { Metrics, NodeList } from '../../lib/api-types.ts'
import { formatSeconds } from '../../lib/format.ts'
import { metricsQuery, nodeBlockQuery, slowestNodesQuery } from './api.ts'
import { MAX_LINES, nodesToAsk, p99Lines } from './farm-chart-rules.ts'
import { BLOCK_ROWS } from './farm-rows.ts'
import { canSortBy, MOST_MEASURED } from './farm-search.ts'

const lastQuarter = { rangeSeconds: 900, stepSeconds: 10, stage: 'total' } as const
const LABEL = t('p99 by node')

export type FarmChartProps = {
  list: NodeList
  /** How many nodes it has. */
  total: number
  scale: Scale
  onScale: (scale: Scale) => void
}

/** Of the nodes that are listed: the slowest, where the control plane can tell which those are. */
export function FarmChart({ list, total, ...scaling }: FarmChartProps) {
  const canFind = canSortBy('p99', total)
  const isFew = total <= BLOCK_ROWS
  const first = useQuery({ ...nodeBlockQuery(list, 0), enabled: isFew || !canFind })
  const slowest = useQuery({ ...slowestNodesQuery(list), enabled: canFind && !isFew })
  const nodes = isFew || !canFind ? first : slowest
  const ids = nodes.data && nodesToAsk(nodes.data.items)
  const metrics = useQuery({
    ...metricsQuery(ids ?? [], lastQuarter),
    enabled: ids !== undefined,
  })
  const of = canFind
    ? t('{total, plural, one {# node} other {# nodes}}', { total })
    : t(
        'the first {blockRows} nodes of the list: filter it to {mostMeasured, plural, one {# node} other {# nodes}} for the slowest of all',
        { blockRows: BLOCK_ROWS, mostMeasured: MOST_MEASURED },
      )
  return metrics.data === undefined ? (
    <section className="panel" aria-label={LABEL}>
      <QueryStates query={ids ? metrics : nodes} what={t('The measurements')} skeletonRows={6}>
        {() => null}
      </QueryStates>
    </section>
  ) : (
    <QueryStates query={metrics} what={t('The measurements')}>
      {(data) => <Lines metrics={data} isPart={total > MAX_LINES} of={of} {...scaling} />}
    </QueryStates>
  )
}

type LinesProps = { metrics: Metrics; isPart: boolean; of: string } & Pick<
  FarmChartProps,
  'scale' | 'onScale'
>

function Lines({ metrics, isPart, of, scale, onScale }: LinesProps) {
  const series = useMemo(() => p99Lines(metrics.series), [metrics.series])
  const marks = useMemo<Mark[]>(
    () => metrics.annotations.map(({ at, text }) => ({ atSeconds: Date.parse(at) / 1000, text })),
    [metrics.annotations],
  )
  if (series.length === 0) {
    return (
      <section className="panel" aria-labelledby="farm-chart-heading">
        <div className="panel-head">
          <h2 id="farm-chart-heading">{LABEL}</h2>
        </div>
        <EmptyState title={t('No measurement in the last 15 min')}>
          {t('The nodes report only what they served. Send one of them a request.')}
        </EmptyState>
      </section>
    )
  }
  return (
    <ChartPanel
      label={LABEL}
      help={
        isPart
          ? t(
              'the {series} slowest of {of}; last 15 min in steps of {stepSeconds} s; gaps are steps without requests',
              { series: series.length, of, stepSeconds: metrics.stepSeconds },
            )
          : t('last 15 min in steps of {stepSeconds} s; gaps are steps without requests', {
              stepSeconds: metrics.stepSeconds,
            })
      }
      controls={
        <ScaleSwitch
          label={t('{label}: scale', { label: LABEL })}
          scale={scale}
          onScale={onScale}
        />
      }
      times={metrics.times}
      series={series}
      format={formatSeconds}
      marks={marks}
      scale={scale}
    />
  )
}
