// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, baseUrl, bodyOf } from '../../lib/api-client.ts'

const RELEASES = ['releases']
const PAGE_SIZE = 100

export const releasesKey = { queryKey: RELEASES }

const after = (cursor: string | null) => ({
  limit: PAGE_SIZE,
  ...(cursor !== null && { cursor }),
})
const paged = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
}

export const releasesQuery = infiniteQueryOptions({
  queryKey: [...RELEASES, 'list'],
  queryFn: ({ pageParam, signal }) =>
    bodyOf(api.GET('/api/v1/releases', { params: { query: after(pageParam) }, signal })),
  ...paged,
})

/** Newest first. */
export const versionsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [...RELEASES, 'versions', name],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { name }, query: after(pageParam) }
      return bodyOf(api.GET('/api/v1/releases/{name}/versions', { params, signal }))
    },
    ...paged,
  })

export const versionQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: [...RELEASES, 'version', name, number],
    queryFn: ({ signal }) => {
      const params = { path: { name, number } }
      return bodyOf(api.GET('/api/v1/releases/{name}/versions/{number}', { params, signal }))
    },
  })

/** A manifest never changes: what was read of it stays right. */
const forever = { staleTime: Number.POSITIVE_INFINITY }

export const filesQuery = (sha256: string, prefix: string) =>
  infiniteQueryOptions({
    queryKey: ['manifests', 'files', sha256, prefix],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...after(pageParam), ...(prefix !== '' && { prefix }) }
      const params = { path: { sha256 }, query }
      return bodyOf(api.GET('/api/v1/manifests/{sha256}/files', { params, signal }))
    },
    ...paged,
    ...forever,
  })

/** `from` null: everything is new. */
export const changesQuery = (sha256: string, from: string | null) =>
  infiniteQueryOptions({
    queryKey: ['manifests', 'changes', sha256, from],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...after(pageParam), ...(from !== null && { from }) }
      const params = { path: { sha256 }, query }
      return bodyOf(api.GET('/api/v1/manifests/{sha256}/changes', { params, signal }))
    },
    ...paged,
    ...forever,
  })

export const changeTotalsQuery = (sha256: string, from: string | null) =>
  queryOptions({
    queryKey: ['manifests', 'change-totals', sha256, from],
    queryFn: ({ signal }) => {
      const params = { path: { sha256 }, query: { ...(from !== null && { from }) } }
      return bodyOf(api.GET('/api/v1/manifests/{sha256}/change-totals', { params, signal }))
    },
    ...forever,
  })

export const contentUrl = (sha256: string, path: string): string =>
  new URL(`api/v1/manifests/${sha256}/content?path=${encodeURIComponent(path)}`, baseUrl).href

export const deleteVersionMutation = mutationOptions({
  mutationKey: [...RELEASES, 'delete-version'],
  mutationFn: async (path: { name: string; number: number }) => {
    await api.DELETE('/api/v1/releases/{name}/versions/{number}', { params: { path } })
  },
})
