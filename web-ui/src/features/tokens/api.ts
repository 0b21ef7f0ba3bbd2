// SPDX-License-Identifier: MIT

import type { paths } from '@farmstead/api-types'
import { infiniteQueryOptions, mutationOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'

const PAGE_SIZE = 50
const TOKENS = ['tokens']

/** Newest first. */
export const tokensQuery = (all: boolean) =>
  infiniteQueryOptions({
    queryKey: [...TOKENS, all ? 'all' : 'own'],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        ...(all && { all: '1' as const }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/tokens', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

export const tokensKey = { queryKey: TOKENS }

export type NewToken = paths['/api/v1/tokens']['post']['requestBody']['content']['application/json']
export type Grantable = NonNullable<NewToken['permissions']>[number]

export const createTokenMutation = mutationOptions({
  mutationKey: ['tokens', 'create'],
  mutationFn: (body: NewToken) => bodyOf(api.POST('/api/v1/tokens', { body })),
})

export const revokeTokenMutation = mutationOptions({
  mutationKey: ['tokens', 'revoke'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } })
  },
})
