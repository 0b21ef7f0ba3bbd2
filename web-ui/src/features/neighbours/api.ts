// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { NeighbourSettings } from '../../lib/api-types.ts'

/** With the ETag that a change must carry: of what its reader has seen, so nothing reads it again. */
export const neighboursQuery = queryOptions({
  queryKey: ['neighbours', 'settings'],
  queryFn: ({ signal }) => taggedBodyOf(api.GET('/api/v1/neighbours', { signal })),
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

export const neighboursNowQuery = queryOptions({
  queryKey: ['neighbours', 'now'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/neighbours/now', { signal })),
  refetchInterval: 5_000,
})

type Change = { settings: NeighbourSettings; etag: string }

export const saveNeighboursMutation = mutationOptions({
  mutationKey: ['neighbours', 'save'],
  mutationFn: ({ settings, etag }: Change) =>
    bodyOf(
      api.PUT('/api/v1/neighbours', {
        params: { header: { 'if-match': etag } },
        body: settings,
      }),
    ),
})

export const trustMutation = mutationOptions({
  mutationKey: ['neighbours', 'trust'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/nodes/{id}/neighbour/distrust', { params: { path: { id } } })
  },
})
