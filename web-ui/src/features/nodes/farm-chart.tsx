// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import type { Scale } from '../../components/chart/scale.ts'
import { ScaleSwitch } from '../../components/chart/scale-switch.tsx'
import type { Mark } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import type { Metrics, Node } from '../../lib/api-types.ts'
import { formatSeconds } from '../../lib/format.ts'
import { metricsQuery } from './api.ts'
import { MAX_LINES, nodesToAsk, p99Lines } from './farm-chart-rules.ts'

const lastQuarter = { rangeSeconds: 900, stepSeconds: 10, stage: 'total' } as const
const LABEL = 'p99 by node'

export type FarmChartProps = { nodes: Node[]; scale: Scale; onScale: (scale: Scale) => void }

export function FarmChart({ nodes, scale, onScale }: FarmChartProps) {
  const metrics = useQuery(metricsQuery(nodesToAsk(nodes), lastQuarter))
  return metrics.data === undefined ? (
    <section className="panel" aria-label={LABEL}>
      <QueryStates query={metrics} what="The measurements" skeletonRows={6}>
        {() => null}
      </QueryStates>
    </section>
  ) : (
    <QueryStates query={metrics} what="The measurements">
      {(data) => <Lines metrics={data} of={nodes.length} scale={scale} onScale={onScale} />}
    </QueryStates>
  )
}

type LinesProps = { metrics: Metrics; of: number } & Omit<FarmChartProps, 'nodes'>

function Lines({ metrics, of, scale, onScale }: LinesProps) {
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
        <EmptyState title="No measurement in the last 15 min">
          The nodes report only what they served. Send one of them a request.
        </EmptyState>
      </section>
    )
  }
  const chosen = of > MAX_LINES ? `the ${series.length} slowest of ${of} nodes; ` : ''
  return (
    <ChartPanel
      label={LABEL}
      help={`${chosen}last 15 min in steps of ${metrics.stepSeconds} s; gaps are steps without requests`}
      controls={<ScaleSwitch label={`${LABEL}: scale`} scale={scale} onScale={onScale} />}
      times={metrics.times}
      series={series}
      format={formatSeconds}
      marks={marks}
      scale={scale}
    />
  )
}
