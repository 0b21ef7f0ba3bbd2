// SPDX-License-Identifier: MIT
// What nodes measured, added up: of the farm and of each group, so that one scrape is enough for ten thousand nodes. The names
// are those of a node's own /metrics, with farm or group in them: so no sum has anything in it twice. Pure.

import type { Ingest } from '../../metrics-store/metrics-store.ts'
import { FARM, groupOfSum } from '../../metrics-store/subjects.ts'
import type { Total } from '../../metrics-store/totals.ts'
import { LOST, type StageName } from '../../metrics-store/windows.ts'
import { byLabel, type Counted, type Family, gauge, type Sample } from './exposition.ts'

/** Nodes may say others, and in any number: these few are worth a series of each group. */
export const COUNTERS: readonly (readonly [name: string, help: string])[] = [
  ['requests', 'Requests answered, of any status.'],
  ['responses2xx', 'Responses with status 200-299.'],
  ['responses3xx', 'Responses with status 300-399.'],
  ['responses4xx', 'Responses with status 400-499.'],
  ['responses5xx', 'Responses with status 500-599.'],
  ['responses304', '304 Not Modified responses.'],
  ['responses404', '404 Not Found responses.'],
  ['bytesSent', 'Bytes written to client sockets, heads included.'],
  ['aborted', 'Responses the client or a time-out ended early.'],
  ['connections', 'Connections accepted.'],
  ['refused', 'Connections refused because too many were open.'],
  ['badRequests', 'Requests refused by the parser.'],
  ['timeouts', 'Connections and streams ended by a time-out.'],
  ['cacheHits', 'Look-ups answered from the stat cache.'],
  ['cacheMisses', 'Look-ups that asked the file system.'],
  ['laneRejected', 'Jobs a full lane refused, answered with 503.'],
  ['rateLimited', 'Requests refused because their address sent too many.'],
  ['http2Requests', 'Requests that came over HTTP/2.'],
  ['probeRequests', 'Requests that were the control plane’s probes.'],
  [LOST, 'Windows of measurements that nodes could not deliver: what is in them is missing here.'],
]

export type Of = { kind: 'farm' } | { kind: 'group'; group: string }
export const ofTotal = ({ of }: Total): Of => {
  const group = groupOfSum(of)
  return of === FARM || group === null ? { kind: 'farm' } : { kind: 'group', group }
}
export const snake = (camel: string) =>
  camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function measuredFamilies(totals: readonly Total[]): Family[] {
  return (['farm', 'group'] as const).flatMap((kind): Family[] => {
    const those = totals.flatMap((total) => {
      const of = ofTotal(total)
      if (of.kind !== kind) return []
      return [{ total, labels: of.kind === 'group' ? { group: of.group } : {} }]
    })
    const about = kind === 'farm' ? 'Of all nodes together: ' : 'Of each group’s nodes: '
    const counters = COUNTERS.map(([name, help]): Family => {
      const samples = those.map(
        ({ total, labels }): Sample => ({ labels, value: total.counters[name] ?? 0 }),
      )
      const full = `farmstead_${kind}_${snake(name)}_total`
      return { name: full, type: 'counter', help: about + help, samples }
    })
    const stages: Family = {
      name: `farmstead_${kind}_stage_seconds`,
      type: 'histogram',
      help: `${about}how long stages of requests took.`,
      samples: those.flatMap(({ total, labels }) => stagesOf(total, labels)),
    }
    return [...counters, stages]
  })
}

function stagesOf({ stages }: Total, labels: Record<string, string>): Counted[] {
  return (Object.keys(stages) as StageName[]).flatMap((stage) => {
    const histogram = stages[stage]
    return histogram ? [{ labels: { ...labels, stage }, histogram }] : []
  })
}

/** How taking nodes' reports goes. `summedUntilSeconds` null: nothing was measured yet. */
export function ingestFamilies(
  { reports, windows, waited, waiting, slowdown }: Ingest,
  summedUntilSeconds: number | null,
): Family[] {
  return [
    byLabel(
      {
        name: 'farmstead_reports_total',
        type: 'counter',
        help: 'Reports of nodes; refused: they send them again.',
      },
      'outcome',
      Object.entries(reports),
    ),
    byLabel(
      {
        name: 'farmstead_report_windows_total',
        type: 'counter',
        help: 'Windows in them; repeated: they had been kept before; lost: they never came.',
      },
      'outcome',
      Object.entries(windows),
    ),
    {
      name: 'farmstead_report_wait_seconds',
      type: 'histogram',
      help: 'How long reports waited to be kept.',
      samples: [{ histogram: waited }],
    },
    gauge('farmstead_reports_waiting', 'Reports that wait for the metrics store.', waiting.reports),
    gauge(
      'farmstead_metrics_questions_waiting',
      'Questions that the metrics store has not answered yet.',
      waiting.questions,
    ),
    gauge(
      'farmstead_report_slowdown',
      'How many times longer than usual nodes are told to make their windows; 1: as usual.',
      slowdown,
    ),
    gauge(
      'farmstead_metrics_summed_until_timestamp_seconds',
      'Until when sums of the farm, groups and versions are made.',
      summedUntilSeconds,
    ),
  ]
}
