// SPDX-License-Identifier: MIT
// Answers a chart's question from one ring: columns per node, null where there is no data.
import {
  emptyHistogram,
  type Histogram,
  mergeHistograms,
  quantile,
} from '../histogram/histogram.ts'
import type { MetricsDb } from './open.ts'
import { stageOf } from './packed-stages.ts'
import type { Plan } from './rings.ts'
import type { Counters, StageName } from './windows.ts'

export type SeriesQuery = Plan & { nodeIds: string[]; stage: StageName }
type Column = (number | null)[]
export type NodeSeries = {
  nodeId: string
  p50Seconds: Column
  p90Seconds: Column
  p99Seconds: Column
  maxSeconds: Column
  count: Column
  requestsPerSecond: Column
  errorRatio: Column
  clientErrorRatio: Column
  notFoundRatio: Column
  bytesPerSecond: Column
  coverage: number[]
}

/** What one step of the answer holds, whatever the number of stored steps and generations in it. */
type Step = { coveredMs: number; counters: Counters; histogram: Histogram }

export function createSeriesQuery(db: MetricsDb): (query: SeriesQuery) => NodeSeries[] {
  const statements = prepare(db)
  return (query) =>
    query.nodeIds.map((nodeId) =>
      toColumns(nodeId, readSteps(statements, nodeId, query), query.stepSeconds),
    )
}

type Within = [nodeId: string, resolutionSeconds: number, fromSeconds: number, toSeconds: number]
type Statements = ReturnType<typeof prepare>

function prepare(db: MetricsDb) {
  const within = 'node_id = ? and resolution_s = ? and step_s >= ? and step_s < ?'
  return {
    coverage: db.prepare<Within, { step_s: number; covered_ms: number }>(
      `select step_s, covered_ms from coverage where ${within}`,
    ),
    series: db.prepare<Within, { step_s: number; counters: string; stages: Buffer }>(
      `select step_s, counters, stages from series where ${within}`,
    ),
  }
}

function readSteps(
  { coverage, series }: Statements,
  nodeId: string,
  { fromSeconds, toSeconds, stepSeconds, resolutionSeconds, stage }: SeriesQuery,
): (Step | null)[] {
  const steps: (Step | null)[] = Array((toSeconds - fromSeconds) / stepSeconds).fill(null)
  const indexOf = (seconds: number) => Math.floor((seconds - fromSeconds) / stepSeconds)
  const within: Within = [nodeId, resolutionSeconds, fromSeconds, toSeconds]
  for (const row of coverage.iterate(...within)) {
    const index = indexOf(row.step_s)
    const step = steps[index] ?? { coveredMs: 0, counters: {}, histogram: emptyHistogram() }
    step.coveredMs += row.covered_ms
    steps[index] = step
  }
  for (const row of series.iterate(...within)) {
    const step = steps[indexOf(row.step_s)]
    if (!step) continue
    addCounted(step.counters, JSON.parse(row.counters))
    const histogram = stageOf(row.stages, stage)
    if (histogram) step.histogram = mergeHistograms(step.histogram, histogram)
  }
  return steps
}

const CHARTED = ['requests', 'responses5xx', 'responses4xx', 'responses404', 'bytesSent']

function addCounted(into: Counters, from: Counters): void {
  for (const name of CHARTED) into[name] = (into[name] ?? 0) + (from[name] ?? 0)
}

function toColumns(nodeId: string, steps: (Step | null)[], stepSeconds: number): NodeSeries {
  const column = (read: (step: Step) => number | null): Column =>
    steps.map((step) => (step ? read(step) : null))
  const perSecond = (name: string) =>
    column(({ counters, coveredMs }) => ((counters[name] ?? 0) / coveredMs) * 1000)
  const share = (name: string) =>
    column(({ counters }) => {
      const requests = counters.requests ?? 0
      return requests > 0 ? (counters[name] ?? 0) / requests : null
    })
  return {
    nodeId,
    p50Seconds: column(({ histogram }) => quantile(histogram, 0.5)),
    p90Seconds: column(({ histogram }) => quantile(histogram, 0.9)),
    p99Seconds: column(({ histogram }) => quantile(histogram, 0.99)),
    maxSeconds: column(({ histogram }) => (histogram.count > 0 ? histogram.maxSeconds : null)),
    count: column(({ histogram }) => histogram.count),
    requestsPerSecond: perSecond('requests'),
    errorRatio: share('responses5xx'),
    clientErrorRatio: share('responses4xx'),
    notFoundRatio: share('responses404'),
    bytesPerSecond: perSecond('bytesSent'),
    coverage: steps.map((step) => (step ? Math.min(1, step.coveredMs / 1000 / stepSeconds) : 0)),
  }
}
