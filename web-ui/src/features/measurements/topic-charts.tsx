// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChartPanel } from '../../components/chart/chart-panel.tsx'
import { LATENCY_SCALE } from '../../components/chart/scale.ts'
import { ScaleSwitch } from '../../components/chart/scale-switch.tsx'
import type { Mark } from '../../components/chart/types.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useInPieces } from '../../hooks/use-in-pieces.ts'
import { t } from '../../languages/t.ts'
import type { MeasuredSets } from '../../lib/api-types.ts'
import { formatDuration } from '../../lib/time.ts'
import { chosenSpan, type TimeSearch } from '../../lib/time-range.ts'
import { setsQuery } from './api.ts'
import { drawn, isEmpty } from './chart-lines.ts'
import { needsOf } from './columns.ts'
import classes from './measurements.module.css'
import type { MeasurementsSearch } from './search.ts'
import { FARM } from './sets.ts'
import { type Chart, type ChartTopic, linesOf, topics } from './topics.ts'

export type TopicProps = {
  time: TimeSearch
  marks: readonly Mark[]
  search: MeasurementsSearch
  onSearch: (search: MeasurementsSearch) => void
  onTime: (time: TimeSearch) => void
}

export function TopicCharts({ topic, ...props }: TopicProps & { topic: ChartTopic }) {
  const { of = FARM } = props.search
  const charts: readonly Chart[] = topics[topic].charts
  const needs = useMemo(() => needsOf(linesOf(charts)), [charts])
  const measured = useInPieces(useQuery(setsQuery(of, props.time, needs)))
  return (
    <QueryStates query={measured} what={t('The measurements')} skeletonRows={8}>
      {(answer) => <Charts {...props} charts={charts} answer={answer} />}
    </QueryStates>
  )
}

type ChartsProps = TopicProps & { charts: readonly Chart[]; answer: MeasuredSets }

function Charts({ charts, answer, marks, search, onSearch, onTime }: ChartsProps) {
  const { times, stepSeconds } = answer
  const scale = search.scale ?? LATENCY_SCALE
  const shown = useMemo(
    () => charts.flatMap((chart) => drawn(chart, answer).map((one) => ({ chart, ...one }))),
    [charts, answer],
  )
  const zoom = (from: number, to: number) => onTime(chosenSpan(from, to, Date.now() / 1000))
  const full = shown.filter((one) => !isEmpty(one))
  const empty = shown.filter(isEmpty)
  if (full.length === 0) {
    return (
      <div className="panel">
        <EmptyState title={t('No measurement in this time')}>
          {t('Nodes report what they served. Choose a longer time, or other nodes.')}
        </EmptyState>
      </div>
    )
  }
  return (
    <>
      <div className={classes.note}>
        <p className="dim">
          {t(
            'Steps of {stepSeconds}. A gap is a step in which nothing was measured. Drag over a chart to zoom.',
            { stepSeconds: stepWords(stepSeconds) },
          )}
        </p>
        {charts.some(({ isLatency }) => isLatency) && (
          <span className="row dim">
            {t('Latencies')}
            <ScaleSwitch
              label={t('Scale of latencies')}
              scale={scale}
              onScale={(next) => onSearch({ ...search, scale: next })}
            />
          </span>
        )}
      </div>
      <div className={classes.charts}>
        {full.map(({ chart, label, help, series, counts }) => (
          <ChartPanel
            key={label}
            label={label}
            help={help}
            times={times}
            series={series}
            format={chart.format}
            marks={marks}
            group="measurements"
            height={200}
            onZoom={zoom}
            {...(counts && { counts })}
            {...(chart.stacked && { stacked: true })}
            {...(chart.smallestTop !== undefined && { smallestTop: chart.smallestTop })}
            {...(chart.isLatency && { scale })}
          />
        ))}
      </div>
      {empty.length > 0 && (
        <p className="dim">
          {t('Nothing in this time: {empty}.', {
            empty: empty.map(({ label }) => label).join(', '),
          })}
        </p>
      )}
    </>
  )
}

export const stepWords = (seconds: number): string =>
  seconds % 60 === 0 ? formatDuration(seconds) : `${seconds} s`
