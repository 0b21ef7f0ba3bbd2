// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions } from '@tanstack/react-query'
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

export type UserChange = { id: string; body: Partial<Standing> & { disabled?: boolean } }
/** Over what the user is now: the dialog shows little enough to decide on at once. */
export const updateUserMutation = mutationOptions({
  mutationKey: ['users', 'update'],
  mutationFn: async ({ id, body }: UserChange) => {
    const path = { id }
    const { etag } = await taggedBodyOf(api.GET('/api/v1/users/{id}', { params: { path } }))
    const params = { path, header: { 'if-match': etag } }
    return await bodyOf(api.PATCH('/api/v1/users/{id}', { params, body }))
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
