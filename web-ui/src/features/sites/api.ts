// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { Site } from '../../lib/api-types.ts'
import { fixedSpan, spanOf, type TimeSearch } from '../../lib/time-range.ts'

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

/** What nodes answered for it; it comes up to 30 seconds late. */
export const trafficQuery = (config: string, host: string, time: TimeSearch) =>
  queryOptions({
    queryKey: ['sites', 'traffic', config, host, time],
    queryFn: ({ signal }) => {
      const span = spanOf(time, Date.now() / 1000)
      const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
      const query = { from: iso(span.from), to: iso(span.to) }
      const params = { path: { config, host }, query }
      return bodyOf(api.GET('/api/v1/sites/{config}/{host}/traffic', { params, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: fixedSpan(time) ? false : EVERY_MS,
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
