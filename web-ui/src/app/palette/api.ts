// SPDX-License-Identifier: MIT
// What the palette asks for. What is many is looked for by the control plane; of the rest the first page is read, and kept while
// the palette is in use.
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import type { VersionSummary } from '../../lib/api-types.ts'

const LISTED_AT_MOST = 500
const ROLLOUTS_AT_MOST = 100
const VERSIONS_OF_EACH = 6
const KEPT_MS = 60_000

export const configsToFindQuery = queryOptions({
  queryKey: ['configs', 'to-find'],
  queryFn: async ({ signal }) => {
    const query = { limit: LISTED_AT_MOST }
    return (await bodyOf(api.GET('/api/v1/configs', { params: { query }, signal }))).items
  },
  staleTime: KEPT_MS,
})

/** The newest. */
export const rolloutsToFindQuery = queryOptions({
  queryKey: ['rollouts', 'to-find'],
  queryFn: async ({ signal }) => {
    const query = { limit: ROLLOUTS_AT_MOST }
    return (await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))).items
  },
  staleTime: KEPT_MS,
})

const FOUND_AT_MOST = 20

/** Of any age, that have each of these words. */
export const rolloutsFoundQuery = (q: string) =>
  queryOptions({
    queryKey: ['rollouts', 'found', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: FOUND_AT_MOST }
      return (await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))).items
    },
    staleTime: KEPT_MS,
  })

/** With this in their names. */
export const peopleFoundQuery = (q: string) =>
  queryOptions({
    queryKey: ['users', 'found', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: FOUND_AT_MOST }
      return (await bodyOf(api.GET('/api/v1/users', { params: { query }, signal }))).items
    },
    staleTime: KEPT_MS,
  })

/** By name. */
export const peopleToFindQuery = queryOptions({
  queryKey: ['users', 'to-find'],
  queryFn: async ({ signal }) => {
    const query = { limit: LISTED_AT_MOST }
    return (await bodyOf(api.GET('/api/v1/users', { params: { query }, signal }))).items
  },
  staleTime: KEPT_MS,
})

/** Of these configs, those whose number this is or whose message has it; '': the newest. */
export const versionsToFindQuery = (names: readonly string[], part: string) =>
  queryOptions({
    queryKey: ['configs', 'versions-to-find', names, part],
    queryFn: async ({ signal }): Promise<VersionSummary[]> => {
      const query = { limit: VERSIONS_OF_EACH, ...(part !== '' && { q: part }) }
      const pages = await Promise.all(
        names.map((name) => {
          const params = { path: { name }, query }
          return bodyOf(api.GET('/api/v1/configs/{name}/versions', { params, signal }))
        }),
      )
      return pages.flatMap(({ items }) => items)
    },
    staleTime: KEPT_MS,
  })
