// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'

const PAGE_SIZE = 20

/** Newest first. Below 'nodes': a node that joins uses one up. */
export const tokensQuery = infiniteQueryOptions({
  queryKey: ['nodes', 'tokens'],
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
    return bodyOf(api.GET('/api/v1/enrolment-tokens', { params: { query }, signal }))
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
})

/** With who joined by it. */
export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'token', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/enrolment-tokens/{id}', { params: { path: { id } }, signal })),
  })

/** A token for a known node says no more than which, and how long it is good. */
export type NewToken = {
  expiresInSeconds: number
  labels?: Record<string, string>
  maxUses?: number
  nodeId?: string
}
export const createTokenMutation = mutationOptions({
  mutationKey: ['enrolment-tokens', 'create'],
  mutationFn: (body: NewToken) => bodyOf(api.POST('/api/v1/enrolment-tokens', { body })),
})

export const deleteTokenMutation = mutationOptions({
  mutationKey: ['enrolment-tokens', 'delete'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/enrolment-tokens/{id}', { params: { path: { id } } })
  },
})
