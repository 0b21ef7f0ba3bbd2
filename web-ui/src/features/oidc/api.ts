// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, baseUrl, bodyOf } from '../../lib/api-client.ts'

export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/session/methods', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Below 'session': an event about the session makes it old. */
export const identityQuery = queryOptions({
  queryKey: ['session', 'identity'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/session/oidc/identity', { signal })),
})

/** Answers where to send the browser. */
export const linkMutation = mutationOptions({
  mutationKey: ['oidc', 'link'],
  mutationFn: (body: { password?: string; code?: string }) =>
    bodyOf(api.POST('/api/v1/session/oidc/identity', { body })),
})

export const unlinkMutation = mutationOptions({
  mutationKey: ['oidc', 'unlink'],
  mutationFn: async () => {
    await api.DELETE('/api/v1/session/oidc/identity')
  },
})

/** A page to go to, not a call: it leads to the provider. */
export function startUrl(next: string): string {
  const url = new URL('api/v1/session/oidc', baseUrl)
  url.searchParams.set('next', next)
  return url.href
}
