// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Role } from '../../lib/api-types.ts'

const PAGE_SIZE = 50

/** By name. */
export const usersQuery = infiniteQueryOptions({
  queryKey: ['users'],
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
    return bodyOf(api.GET('/api/v1/users', { params: { query }, signal }))
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
})

export type Standing = { roles: Role[]; scope: string | null }
export const createUserMutation = mutationOptions({
  mutationKey: ['users', 'create'],
  mutationFn: (body: Standing & { username: string }) =>
    bodyOf(api.POST('/api/v1/users', { body })),
})

/** The user with the ETag that a change must carry. */
export const taggedUserQuery = (id: string) =>
  queryOptions({
    // Not below 'users', which live updates read again: an ETag must be of what its reader has seen.
    queryKey: ['user-to-change', id],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/users/{id}', { params: { path: { id } }, signal })),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export type UserChange = {
  id: string
  /** Of the user as they were shown. */
  etag: string
  body: Partial<Standing> & { disabled?: boolean }
}
export const updateUserMutation = mutationOptions({
  mutationKey: ['users', 'update'],
  mutationFn: ({ id, etag, body }: UserChange) => {
    const params = { path: { id }, header: { 'if-match': etag } }
    return bodyOf(api.PATCH('/api/v1/users/{id}', { params, body }))
  },
})

export const resetPasswordMutation = mutationOptions({
  mutationKey: ['users', 'reset-password'],
  mutationFn: (id: string) =>
    bodyOf(api.POST('/api/v1/users/{id}/actions/reset-password', { params: { path: { id } } })),
})
export const resetSecondFactorMutation = mutationOptions({
  mutationKey: ['users', 'reset-second-factor'],
  mutationFn: async (id: string) => {
    await api.POST('/api/v1/users/{id}/actions/reset-second-factor', { params: { path: { id } } })
  },
})
