// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Session } from '../../lib/api-types.ts'

/** null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await bodyOf(api.GET('/api/v1/session', { signal }))
    } catch (error) {
      if (isApiError(error, 401)) return null
      throw error
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** Is there nobody yet who could sign in? */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/setup', { signal })),
})

export type FirstAdmin = { token: string; username: string; password: string }
export const setUpMutation = mutationOptions({
  mutationKey: ['setup'],
  mutationFn: (body: FirstAdmin) => bodyOf(api.POST('/api/v1/setup', { body })),
})

export type Credentials = { username: string; password: string; code?: string }
export const signInMutation = mutationOptions({
  mutationKey: ['session', 'sign-in'],
  mutationFn: (body: Credentials) => bodyOf(api.POST('/api/v1/session', { body })),
})

export const signOutMutation = mutationOptions({
  mutationKey: ['session', 'sign-out'],
  mutationFn: async () => {
    await api.DELETE('/api/v1/session')
  },
})

export type PasswordChange = {
  currentPassword: string
  newPassword: string
  revokeTokens: boolean
}
export const changePasswordMutation = mutationOptions({
  mutationKey: ['session', 'change-password'],
  mutationFn: async (body: PasswordChange) => {
    await api.PUT('/api/v1/session/password', { body })
  },
})

export const ownSessionsQuery = queryOptions({
  queryKey: ['session', 'list'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/session/list', { signal })),
})
export const endSessionMutation = mutationOptions({
  mutationKey: ['session', 'end'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/session/list/{id}', { params: { path: { id } } })
  },
})
export const endOtherSessionsMutation = mutationOptions({
  mutationKey: ['session', 'end-others'],
  mutationFn: async () => {
    await api.DELETE('/api/v1/session/list')
  },
})

export const beginSecondFactorMutation = mutationOptions({
  mutationKey: ['session', 'begin-second-factor'],
  mutationFn: (password: string) =>
    bodyOf(api.POST('/api/v1/session/second-factor', { body: { password } })),
})
export const confirmSecondFactorMutation = mutationOptions({
  mutationKey: ['session', 'confirm-second-factor'],
  mutationFn: (code: string) =>
    bodyOf(api.PUT('/api/v1/session/second-factor', { body: { code } })),
})
export type Removal = { password: string; code: string }
export const removeSecondFactorMutation = mutationOptions({
  mutationKey: ['session', 'remove-second-factor'],
  mutationFn: async (body: Removal) => {
    await api.DELETE('/api/v1/session/second-factor', { body })
  },
})
