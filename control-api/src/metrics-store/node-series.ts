// SPDX-License-Identifier: MIT
// What a chart of nodes shows: columns for each, null where there is no data.
import type { Plan } from './rings.ts'
import type { SetColumns, SetsQuery } from './sets.ts'
import { LOST, type StageName } from './windows.ts'

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
  /** Before windows of this step, and not in its coverage. */
  lostWindows: number[]
}

const CHARTED = [
  'requests',
  'responses5xx',
  'responses4xx',
  'responses404',
  'bytesSent',
  LOST,
] as const
type Charted = (typeof CHARTED)[number]

export const asSets = ({ nodeIds, stage, ...plan }: SeriesQuery): SetsQuery => ({
  ...plan,
  sets: nodeIds.map((id) => [{ id, generation: null }]),
  wanted: { stages: [stage], quantiles: [0.5, 0.9, 0.99], counters: CHARTED, gauges: [] },
})

export function asSeries({ nodeIds, stage, stepSeconds }: SeriesQuery, sets: SetColumns[]) {
  return sets.map((set, i): NodeSeries => {
    const { count = [], maxSeconds = [], quantiles = [] } = set.stages[stage] ?? {}
    const [p50Seconds = [], p90Seconds = [], p99Seconds = []] = quantiles
    const counted = (name: Charted) => set.counters[name] ?? []
    const requests = counted('requests')
    const share = (name: Charted): Column =>
      counted(name).map((n, step) => {
        const all = requests[step]
        return n !== null && all ? n / all : null
      })
    /** Of the time that was measured. */
    const perSecond = (name: Charted): Column =>
      counted(name).map((n, step) => (n === null ? null : n / (set.nodes[step] ?? 0) / stepSeconds))
    return {
      nodeId: nodeIds[i] ?? '',
      ...{ p50Seconds, p90Seconds, p99Seconds, maxSeconds, count },
      requestsPerSecond: perSecond('requests'),
      errorRatio: share('responses5xx'),
      clientErrorRatio: share('responses4xx'),
      notFoundRatio: share('responses404'),
      bytesPerSecond: perSecond('bytesSent'),
      coverage: set.nodes.map((nodes) => Math.min(1, nodes)),
      lostWindows: counted(LOST).map((lost) => lost ?? 0),
    }
  })
}
