// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'

const CERTIFICATES = ['certificates']
const PAGE_SIZE = 100

export const certificatesKey = { queryKey: CERTIFICATES }

/** Those that end first. */
export const certificatesQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: [...CERTIFICATES, 'list', q],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...{ limit: PAGE_SIZE, order: 'end' as const },
        ...(q !== '' && { q }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/certificates', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

export const certificateQuery = (name: string) =>
  queryOptions({
    queryKey: [...CERTIFICATES, 'one', name],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/certificates/{name}', { params: { path: { name } }, signal })),
  })

export const versionsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [...CERTIFICATES, 'versions', name],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
      const params = { path: { name }, query }
      return bodyOf(api.GET('/api/v1/certificates/{name}/versions', { params, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/** Nodes say it when it changes; their events do not say of which certificate. */
const SERVED_EVERY_MS = 10_000

export const servedQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [...CERTIFICATES, 'served', name],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
      const params = { path: { name }, query }
      return bodyOf(api.GET('/api/v1/certificates/{name}/served', { params, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: SERVED_EVERY_MS,
  })

/** By which versions of configs nodes were told to serve it. */
export const givingQuery = (name: string) =>
  queryOptions({
    queryKey: [...CERTIFICATES, 'configs', name],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/certificates/{name}/configs', { params: { path: { name } }, signal }),
      ),
    refetchInterval: SERVED_EVERY_MS,
  })

export type Upload = {
  name: string
  chain: string
  key: string
  /** Of the certificate it renews; null: a new one. */
  etag: string | null
}

export const uploadMutation = mutationOptions({
  mutationKey: [...CERTIFICATES, 'upload'],
  // What was sent holds a key: it is not remembered once nobody looks.
  gcTime: 0,
  mutationFn: ({ name, chain, key, etag }: Upload) =>
    etag === null
      ? bodyOf(api.POST('/api/v1/certificates', { body: { name, chain, key } }))
      : bodyOf(
          api.POST('/api/v1/certificates/{name}/versions', {
            params: { path: { name }, header: { 'if-match': etag } },
            body: { chain, key },
          }),
        ),
})

export const deleteCertificateMutation = mutationOptions({
  mutationKey: [...CERTIFICATES, 'delete'],
  mutationFn: async ({ name, etag }: { name: string; etag: string }) => {
    const params = { path: { name }, header: { 'if-match': etag } }
    await api.DELETE('/api/v1/certificates/{name}', { params })
  },
})
