// SPDX-License-Identifier: MIT
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { AuditEntry, VersionSummary } from '../../lib/api-types.ts'
import { secondsOf } from '../../lib/farm-moments.ts'
import { type RangeKey, ranges } from '../../lib/time-range.ts'
import { askedWindow, MEDIAN, P99, type Window } from './measured.ts'

const SHOWN_AT_MOST = 20
/** Fresh enough to look at, and few enough questions when a wall of screens shows it all day. */
const everyMs = (range: RangeKey) => Math.max(10_000, ranges[range].stepSeconds * 1000)

const timesOf = ({ fromSeconds, toSeconds }: Window) => ({
  from: new Date(fromSeconds * 1000).toISOString(),
  to: new Date(toSeconds * 1000).toISOString(),
})

/** What the farm did in the range and, to compare, in as long a time before it. */
export const farmMeasuredQuery = (range: RangeKey) =>
  queryOptions({
    queryKey: ['overview', 'measured', range],
    queryFn: async ({ signal }) => {
      const asked = askedWindow(range, Date.now())
      const query = {
        ...timesOf({ ...asked.now, fromSeconds: asked.before.fromSeconds }),
        of: 'farm',
        stepSeconds: ranges[range].stepSeconds,
        stages: 'total,firstByte,write,writeClient,writeNetwork,writeBuffer',
        quantiles: `${MEDIAN},${P99}`,
        counters: 'requests,responses5xx,bytesSent,cacheHits,cacheMisses',
      }
      const sets = await bodyOf(api.GET('/api/v1/metrics/sets', { params: { query }, signal }))
      return { asked, sets }
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs(range),
  })

/** Percentiles of the whole range, and how they stand to those of the time before it. */
export const farmComparedQuery = (range: RangeKey, quantiles: readonly number[]) =>
  queryOptions({
    queryKey: ['overview', 'compared', range, quantiles],
    queryFn: ({ signal }) => {
      const { now, before } = askedWindow(range, Date.now())
      const { from: bFrom, to: bTo } = timesOf(before)
      const query = {
        ...{ a: 'farm', b: 'farm', ...timesOf(now), bFrom, bTo },
        ...{ stages: 'total', quantiles: quantiles.join() },
      }
      return bodyOf(api.GET('/api/v1/metrics/compare', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs(range),
  })

/** Newest first. */
export const firingQuery = queryOptions({
  queryKey: ['alerts', 'overview'],
  queryFn: ({ signal }) => {
    const query = { state: 'firing' as const, limit: SHOWN_AT_MOST }
    return bodyOf(api.GET('/api/v1/alerts', { params: { query }, signal }))
  },
})

/** A day is a day without an event. */
const DAYS_EVERY_MS = 600_000

/** Those that end first. */
export const endingCertificatesQuery = queryOptions({
  queryKey: ['certificates', 'overview'],
  queryFn: ({ signal }) => {
    const query = { order: 'end' as const, limit: SHOWN_AT_MOST }
    return bodyOf(api.GET('/api/v1/certificates', { params: { query }, signal }))
  },
  refetchInterval: DAYS_EVERY_MS,
})

/** What waits for somebody; the farm's summary names only the oldest that are under way and that wait. */
export const heldRolloutsQuery = (state: 'paused' | 'awaiting_approval') =>
  queryOptions({
    queryKey: ['rollouts', 'overview', state],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/rollouts', { params: { query: { state, limit: SHOWN_AT_MOST } }, signal }),
      ),
  })

/** Rules hold the objectives of the farm. */
export const objectivesQuery = queryOptions({
  queryKey: ['alert-rules', 'overview'],
  queryFn: ({ signal }) =>
    bodyOf(api.GET('/api/v1/alert-rules', { params: { query: { limit: 100 } }, signal })),
})

/** What of a list was read; false: more of the range is left in it. */
type Read<Item> = { items: Item[]; isWhole: boolean }

const beginOf = (range: RangeKey) => Date.now() / 1000 - ranges[range].rangeSeconds
const CONFIGS_AT_MOST = 500
/** Versions are asked for config by config: of those that changed last. */
const CHANGED_AT_MOST = 10
const LINES_AT_MOST = 100

/** Versions of all configs that were saved in the range. */
export const savedVersionsQuery = (range: RangeKey) =>
  queryOptions({
    queryKey: ['changes', 'versions', range],
    queryFn: async ({ signal }): Promise<Read<VersionSummary>> => {
      const from = beginOf(range)
      const configs = await bodyOf(
        api.GET('/api/v1/configs', { params: { query: { limit: CONFIGS_AT_MOST } }, signal }),
      )
      const changed = configs.items
        .filter((one) => one.latestVersion !== null && secondsOf(one.updatedAt) >= from)
        .toSorted((a, b) => secondsOf(b.updatedAt) - secondsOf(a.updatedAt))
      const pages = await Promise.all(
        changed.slice(0, CHANGED_AT_MOST).map(({ name }) => {
          const params = { path: { name }, query: { limit: LINES_AT_MOST } }
          return bodyOf(api.GET('/api/v1/configs/{name}/versions', { params, signal }))
        }),
      )
      return {
        items: pages.flatMap(({ items }) => items),
        isWhole:
          configs.nextCursor === null &&
          changed.length <= CHANGED_AT_MOST &&
          pages.every((page) => isBackTo(from, page, ({ createdAt }) => createdAt)),
      }
    },
    placeholderData: keepPreviousData,
  })

/** Lists are newest first: does this page go back to that moment? */
export function isBackTo<Item>(
  fromSeconds: number,
  { items, nextCursor }: { items: Item[]; nextCursor: string | null },
  beganAt: (item: Item) => string,
): boolean {
  const oldest = items.at(-1)
  return nextCursor === null || (oldest !== undefined && secondsOf(beganAt(oldest)) < fromSeconds)
}

/** Each has a beginning and an end. */
const ROLLOUTS_AT_MOST = LINES_AT_MOST / 2

export const newestRolloutsQuery = queryOptions({
  queryKey: ['changes', 'rollouts'],
  queryFn: ({ signal }) => {
    const query = { limit: ROLLOUTS_AT_MOST }
    return bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))
  },
})

export const newestAlertsQuery = queryOptions({
  queryKey: ['changes', 'alerts'],
  queryFn: ({ signal }) => {
    const query = { limit: LINES_AT_MOST }
    return bodyOf(api.GET('/api/v1/alerts', { params: { query }, signal }))
  },
})

/** What people did, and each time that a rollout paused, whoever paused it. */
export const deedsQuery = (range: RangeKey) =>
  queryOptions({
    queryKey: ['changes', 'deeds', range],
    queryFn: async ({ signal }): Promise<Read<AuditEntry>> => {
      const some = { from: new Date(beginOf(range) * 1000).toISOString(), limit: LINES_AT_MOST }
      const pages = await Promise.all(
        [
          // While somebody types there are dozens.
          { by: 'people' as const, without: 'draft-changed' },
          { kind: 'rollout', action: 'paused' },
        ].map((filter) => {
          const params = { query: { ...filter, ...some } }
          return bodyOf(api.GET('/api/v1/audit', { params, signal }))
        }),
      )
      const entries = new Map(pages.flatMap(({ items }) => items).map((one) => [one.id, one]))
      return {
        items: [...entries.values()],
        isWhole: pages.every(({ nextCursor }) => nextCursor === null),
      }
    },
    placeholderData: keepPreviousData,
  })

/** Whether somebody has begun: what was done is done, and seldom looked at again. */
export const configsBegunQuery = queryOptions({
  queryKey: ['configs', 'begun'],
  queryFn: async ({ signal }) => {
    const query = { limit: 100 }
    return (await bodyOf(api.GET('/api/v1/configs', { params: { query }, signal }))).items
  },
})

/** Who has made so many needs no first steps. */
export const ROLLOUTS_OF_BEGINNERS = 50

export const rolloutsBegunQuery = queryOptions({
  queryKey: ['rollouts', 'begun'],
  queryFn: async ({ signal }) => {
    const query = { limit: ROLLOUTS_OF_BEGINNERS }
    return (await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))).items
  },
})
