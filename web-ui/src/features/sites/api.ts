// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { Site } from '../../lib/api-types.ts'
import { type RangeKey, ranges } from '../../lib/time-range.ts'

const PAGE_SIZE = 100
/** Nodes tell all the time that they run something; which sites there are changes seldom. */
const EVERY_MS = 30_000

export const sitesQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['sites', 'list', q],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        ...(q !== '' && { q }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/sites', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  })

export const siteQuery = (config: string, host: string) =>
  queryOptions({
    queryKey: ['sites', 'one', config, host],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/sites/{config}/{host}', { params: { path: { config, host } }, signal }),
      ),
    refetchInterval: EVERY_MS,
  })

/** As many as one question may name. */
export const MOST_VERSIONS = 10
const COUNTERS = [
  'requests',
  'bytesSent',
  'responses2xx',
  'responses3xx',
  'responses4xx',
  'responses404',
  'responses5xx',
]

/** What the nodes that run these versions did; sums come up to 40 seconds late. */
export const trafficQuery = (config: string, versions: readonly number[], range: RangeKey) =>
  queryOptions({
    queryKey: ['metrics', 'site-traffic', config, versions, range],
    queryFn: ({ signal }) => {
      const { rangeSeconds, stepSeconds } = ranges[range]
      const now = Date.now()
      const query = {
        of: versions.map((version) => `version:${config}/${version}`).join(';'),
        from: new Date(now - rangeSeconds * 1000).toISOString(),
        to: new Date(now).toISOString(),
        stepSeconds,
        stages: 'total',
        quantiles: '0.5,0.99',
        counters: COUNTERS.join(),
      }
      return bodyOf(api.GET('/api/v1/metrics/sets', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  })

/** More would be as many questions. */
export const NODES_ASKED = 8
const SLOW_OF_EACH = 200

/** Of the first nodes that serve it; only where a config has one site are a node's requests the site's. */
export const slowPathsQuery = ({ serving }: Site) => {
  const ids = (serving?.items ?? []).slice(0, NODES_ASKED).map(({ nodeId }) => nodeId)
  return queryOptions({
    queryKey: ['site-slow-paths', ids],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        ids.map((id) => {
          const params = { path: { id }, query: { limit: SLOW_OF_EACH } }
          return bodyOf(api.GET('/api/v1/nodes/{id}/slow-requests', { params, signal }))
        }),
      )
      return answers.flatMap(({ items }) => items)
    },
    refetchInterval: 60_000,
  })
}
