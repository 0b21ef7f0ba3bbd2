// SPDX-License-Identifier: MIT
// Sites in words and sums. Pure.
import type { MetricsOfSets, RequestSample, Site, SiteSummary } from '../../lib/api-types.ts'

/** "*" alone tells nobody what it is. */
export const hostWords = (host: string) => (host === '*' ? 'any other host (*)' : host)

export const isRemoved = ({ version, newestVersion }: Pick<Site, 'version' | 'newestVersion'>) =>
  version < newestVersion

type Certificate = SiteSummary['certificates'][number]
const urgency = ['expired', 'expiring', 'good'] as const

/** The one that ends first, of those whose end is known. */
export function soonestOf(certificates: readonly Certificate[]): Certificate | null {
  const known = certificates.filter(({ notAfter }) => notAfter !== null)
  return (
    known.toSorted(
      (a, b) =>
        urgency.indexOf(a.state ?? 'good') - urgency.indexOf(b.state ?? 'good') ||
        String(a.notAfter).localeCompare(String(b.notAfter)),
    )[0] ?? null
  )
}

export type Traffic = {
  version: number
  nodes: number
  /** null: nothing was measured. */
  requests: number | null
  requestsPerSecond: number | null
  bytesPerSecond: number | null
  /** Of the requests. */
  shares: Record<StatusClass, number | null>
  /** Of the newest step that has one. */
  p99Seconds: number | null
}
/** 404 is a part of the 4xx, and shown apart. */
export const statusClasses = {
  responses2xx: '2xx',
  responses3xx: '3xx',
  responses4xx: '4xx but 404',
  responses404: '404',
  responses5xx: '5xx',
} as const
export type StatusClass = keyof typeof statusClasses
const classKeys = Object.keys(statusClasses) as StatusClass[]

type Column = readonly (number | null)[]
const sumOf = (column: Column = []): number | null => {
  const known = column.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0)
}

/** One row for each version that was asked for, in that order. */
export function trafficOf({ sets, stepSeconds, quantiles }: MetricsOfSets): Traffic[] {
  const at = quantiles.indexOf(0.99)
  return sets.map(({ of, nodes, counters, stages }) => {
    const requests = sumOf(counters.requests)
    const seconds = (counters.requests ?? []).filter((one) => one !== null).length * stepSeconds
    const perSecond = (total: number | null) =>
      total === null || seconds === 0 ? null : total / seconds
    const of4xx = sumOf(counters.responses4xx)
    const count = (name: StatusClass) =>
      name === 'responses4xx' && of4xx !== null
        ? of4xx - (sumOf(counters.responses404) ?? 0)
        : sumOf(counters[name])
    const share = (name: StatusClass) => {
      const part = count(name)
      return part === null || !requests ? null : part / requests
    }
    return {
      version: Number(of.slice(of.lastIndexOf('/') + 1)),
      nodes,
      requests,
      requestsPerSecond: perSecond(requests),
      bytesPerSecond: perSecond(sumOf(counters.bytesSent)),
      shares: Object.fromEntries(classKeys.map((name) => [name, share(name)])) as Traffic['shares'],
      p99Seconds: stages.total?.quantiles[at]?.findLast((value) => value !== null) ?? null,
    }
  })
}

export type SlowPath = { path: string; requests: number; slowestSeconds: number; status: string }

const PATHS_SHOWN = 10

/** Most often first; of equally many the slowest. */
export function slowPathsOf(samples: readonly RequestSample[]): SlowPath[] {
  const byPath = Map.groupBy(samples, ({ path }) => path)
  return [...byPath]
    .map(([path, of]) => ({
      path,
      requests: of.length,
      slowestSeconds: of.reduce(
        (most, { stageSeconds }) => Math.max(most, stageSeconds.total ?? 0),
        0,
      ),
      status: [...new Set(of.map(({ status }) => status ?? 'none'))].toSorted().join(', '),
    }))
    .toSorted((a, b) => b.requests - a.requests || b.slowestSeconds - a.slowestSeconds)
    .slice(0, PATHS_SHOWN)
}
