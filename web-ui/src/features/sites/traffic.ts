// SPDX-License-Identifier: MIT
// What nodes answered for a site, as sums and lines. Pure.

import type { Series } from '../../components/chart/types.ts'
import { t } from '../../languages/t.ts'
import type { SiteTraffic } from '../../lib/api-types.ts'

export type VersionTraffic = NonNullable<SiteTraffic['versions']>[number]
type Column = readonly (number | null)[]

/** 404 is shown apart from the other 4xx. */
export const statusClasses = {
  responses2xx: '2xx',
  responses3xx: '3xx',
  responsesOther4xx: t('other 4xx'),
  responses404: '404',
  responses5xx: '5xx',
} as const
export type StatusClass = keyof typeof statusClasses
export const classKeys = Object.keys(statusClasses) as StatusClass[]
type Counted = StatusClass | 'aborted' | 'bytesSent' | 'totalSeconds'

/** Of one version, or of several together. */
export type Traffic = {
  requests: number
  requestsPerSecond: number | null
  bytesPerSecond: number | null
  /** Of the requests; null: there was none. */
  shares: Record<StatusClass, number | null>
  aborted: number
  meanSeconds: number | null
}

/** What reports say of a time comes so much later. */
const LATE_SECONDS = 15
/** Of a step that has just begun no rate can be said. */
const LEAST_SECONDS = 30

/** How much of the step is over. */
const elapsed = (at: number, stepSeconds: number, nowSeconds: number) =>
  Math.max(0, Math.min(stepSeconds, nowSeconds - LATE_SECONDS - at))

/** Value by value; null: no version has one. */
function added(versions: readonly VersionTraffic[], name: Counted): Column {
  const [first] = versions
  return (first?.[name] ?? []).map((_, i) => {
    const known = versions.flatMap((one) => one[name][i] ?? [])
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0)
  })
}
const sumOf = (column: Column) => column.reduce<number>((sum, one) => sum + (one ?? 0), 0)

/** Of the steps in which any of them has something: rates of versions add up to that of all. */
export function countedSeconds(
  versions: readonly VersionTraffic[],
  { times, stepSeconds }: Pick<SiteTraffic, 'times' | 'stepSeconds'>,
  nowSeconds: number,
): number {
  const counted = added(versions, 'responses2xx')
  return times.reduce(
    (sum, at, i) => (counted[i] == null ? sum : sum + elapsed(at, stepSeconds, nowSeconds)),
    0,
  )
}

export function trafficOf(versions: readonly VersionTraffic[], seconds: number): Traffic {
  const columns = classKeys.map((name) => added(versions, name))
  const requests = columns.reduce((sum, column) => sum + sumOf(column), 0)
  const perSecond = (total: number) => (seconds === 0 ? null : total / seconds)
  const ofRequests = (part: number) => (requests === 0 ? null : part / requests)
  return {
    requests,
    requestsPerSecond: perSecond(requests),
    bytesPerSecond: perSecond(sumOf(added(versions, 'bytesSent'))),
    shares: Object.fromEntries(
      classKeys.map((name, i) => [name, ofRequests(sumOf(columns[i] ?? []))]),
    ) as Traffic['shares'],
    aborted: sumOf(added(versions, 'aborted')),
    meanSeconds: ofRequests(sumOf(added(versions, 'totalSeconds'))),
  }
}

const COLOURS = [1, 2, 3, 4, 5, 6] as const
const DASHES = ['solid', 'dashed', 'dotted'] as const
/** More lines than colours tell nobody which is which. */
export const MOST_LINES = COLOURS.length

export type TrafficLines = { status: Series[]; mean: Series[]; byVersion: Series[] }

export function linesOf(
  { times, stepSeconds, versions }: SiteTraffic,
  nowSeconds: number,
): TrafficLines {
  const all = versions ?? []
  const rate = (column: Column) =>
    column.map((count, i) => {
      const seconds = elapsed(times[i] ?? 0, stepSeconds, nowSeconds)
      return count === null || seconds < LEAST_SECONDS ? null : count / seconds
    })
  const requests = (of: readonly VersionTraffic[]): Column => {
    const columns = classKeys.map((name) => added(of, name))
    return times.map((_, i) =>
      columns[0]?.[i] == null ? null : columns.reduce((sum, column) => sum + (column[i] ?? 0), 0),
    )
  }
  const totals = requests(all)
  return {
    status: classKeys.map((name, i) => ({
      ...{ name: statusClasses[name], values: rate(added(all, name)), colour: COLOURS[i] ?? 1 },
    })),
    mean: [
      {
        ...{ name: t('mean'), colour: 1 },
        values: added(all, 'totalSeconds').map((sum, i) =>
          sum === null || !totals[i] ? null : sum / totals[i],
        ),
      },
    ],
    byVersion: all.slice(0, MOST_LINES).map((one, i) => ({
      ...{ name: `v${one.version}`, values: rate(requests([one])), colour: COLOURS[i] ?? 1 },
      dash: DASHES[i % DASHES.length] ?? 'solid',
    })),
  }
}
