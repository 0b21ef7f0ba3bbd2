// SPDX-License-Identifier: MIT
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { Comparison, Heatmap, MeasuredSets, Stage, TopNodes } from '../../lib/api-types.ts'
import { fixedSpan, rangeOf, spanOf, stepFor, type TimeSearch } from '../../lib/time-range.ts'
import { type Needs, QUANTILES } from './columns.ts'

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
/** A range that ends now is asked for anew as often as it has a new step, within reason. */
const everyMs = (time: TimeSearch) =>
  fixedSpan(time) ? false : Math.min(60_000, Math.max(5_000, rangeOf(time).stepSeconds * 500))

/** Whose, at which time or so long before it. */
export type Side = { of: string; time: TimeSearch; earlierSeconds?: number }

/** As the API has them; of what ends now it is now. */
function timesOf({ time, earlierSeconds = 0 }: Omit<Side, 'of'>) {
  const { from, to } = spanOf(time, Date.now() / 1000)
  const stepSeconds = fixedSpan(time) ? stepFor({ from, to }) : rangeOf(time).stepSeconds
  return { from: iso(from - earlierSeconds), to: iso(to - earlierSeconds), stepSeconds }
}

export const setsQuery = (of: string, time: TimeSearch, needs: Required<Needs>) =>
  queryOptions({
    queryKey: ['measurements', 'sets', of, time, needs],
    queryFn: ({ signal }): Promise<MeasuredSets> => {
      const query = {
        ...{ of, ...timesOf({ time }), quantiles: QUANTILES.join() },
        // There is no asking for none.
        stages: needs.stages.join() || 'total',
        ...(needs.counters.length > 0 && { counters: needs.counters.join() }),
        ...(needs.gauges.length > 0 && { gauges: needs.gauges.join() }),
      }
      return bodyOf(api.GET('/api/v1/metrics/sets', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs(time),
  })

export const heatmapQuery = (side: Side, stage: Stage) =>
  queryOptions({
    queryKey: ['measurements', 'heatmap', side, stage],
    queryFn: ({ signal }): Promise<Heatmap> => {
      const query = { of: side.of, stage, ...timesOf(side) }
      return bodyOf(api.GET('/api/v1/metrics/heatmap', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs(side.time),
  })

export const compareQuery = (a: Side, b: Side) =>
  queryOptions({
    queryKey: ['measurements', 'compare', a, b],
    queryFn: ({ signal }): Promise<Comparison> => {
      const [first, second] = [timesOf(a), timesOf(b)]
      const query = {
        ...{ a: a.of, b: b.of, quantiles: QUANTILES.join() },
        ...{ from: first.from, to: first.to, bFrom: second.from, bTo: second.to },
      }
      return bodyOf(api.GET('/api/v1/metrics/compare', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs(a.time),
  })

const RANKED = 100

export const topQuery = (of: string, time: TimeSearch, by: string) =>
  queryOptions({
    queryKey: ['measurements', 'top', of, time, by],
    queryFn: ({ signal }): Promise<TopNodes> => {
      const { from, to } = timesOf({ time })
      const query = { of, from, to, by, limit: RANKED }
      return bodyOf(api.GET('/api/v1/metrics/top', { params: { query }, signal }))
    },
    refetchInterval: everyMs(time),
  })

export const configChoicesQuery = queryOptions({
  queryKey: ['measurements', 'configs'],
  queryFn: async ({ signal }): Promise<string[]> => {
    const params = { query: { limit: 500 } }
    const { items } = await bodyOf(api.GET('/api/v1/configs', { params, signal }))
    return items.map(({ name }) => name)
  },
})

/** The newest first. */
export const versionChoicesQuery = (config: string) =>
  queryOptions({
    queryKey: ['measurements', 'versions', config],
    queryFn: async ({ signal }): Promise<number[]> => {
      const params = { path: { name: config }, query: { limit: 100 } }
      const { items } = await bodyOf(api.GET('/api/v1/configs/{name}/versions', { params, signal }))
      return items.map(({ number }) => number)
    },
  })
