// SPDX-License-Identifier: MIT
import {
  infiniteQueryOptions,
  mutationOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../../lib/api-client.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { ManagedCertificate } from '../../../lib/api-types.ts'
import { certificatesKey } from '../api.ts'
import type { ManagedState } from './rules.ts'

const MANAGED = ['managed-certificates']
const PAGE_SIZE = 100

/** An order goes on by the second, and its steps are no events. */
const ORDERING_EVERY_MS = 2000
const RESTING_EVERY_MS = 30_000

/** After a change of one's own: what is managed, and what is kept. */
export const readAgain = async (client: QueryClient): Promise<void> => {
  await Promise.all([
    client.invalidateQueries({ queryKey: MANAGED }),
    client.invalidateQueries(certificatesKey),
  ])
}

const everyMs = (isOrdering: boolean) => (isOrdering ? ORDERING_EVERY_MS : RESTING_EVERY_MS)

/** By name. `state`: null, whichever. */
export const managedListQuery = (q: string, state: ManagedState | null) =>
  infiniteQueryOptions({
    queryKey: [...MANAGED, 'list', q, state],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        ...(q !== '' && { q }),
        ...(state !== null && { state }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/managed-certificates', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: ({ state: { data } }) =>
      everyMs(data?.pages.some(({ items }) => items.some(({ order }) => order !== null)) ?? false),
  })

/** null: it is not managed, it was uploaded or is not there at all. */
export const managedQuery = (name: string) =>
  queryOptions({
    queryKey: [...MANAGED, 'one', name],
    queryFn: async ({ signal }) => {
      const params = { path: { name } }
      try {
        return await taggedBodyOf(
          api.GET('/api/v1/managed-certificates/{name}', { params, signal }),
        )
      } catch (error) {
        if (isApiError(error, 404)) return null
        throw error
      }
    },
    refetchInterval: ({ state: { data } }) => everyMs(Boolean(data?.body.order)),
  })

export const ordersQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [...MANAGED, 'orders', name],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
      const params = { path: { name }, query }
      return bodyOf(api.GET('/api/v1/managed-certificates/{name}/orders', { params, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/** What people decide of one. */
export type Wish = Pick<
  ManagedCertificate,
  'names' | 'keyType' | 'authorities' | 'challenge' | 'preferredChain' | 'rollOut'
>

export const manageMutation = mutationOptions({
  mutationKey: [...MANAGED, 'create'],
  mutationFn: (body: Wish & { name: string; orderNow?: boolean }) =>
    bodyOf(api.POST('/api/v1/managed-certificates', { body })),
})

type Tagged = { name: string; etag: string }
const tagged = ({ name, etag }: Tagged) => ({ path: { name }, header: { 'if-match': etag } })

export const changeMutation = mutationOptions({
  mutationKey: [...MANAGED, 'change'],
  mutationFn: ({ name, etag, ...body }: Tagged & Wish) =>
    bodyOf(
      api.PATCH('/api/v1/managed-certificates/{name}', { params: tagged({ name, etag }), body }),
    ),
})

export const stopManagingMutation = mutationOptions({
  mutationKey: [...MANAGED, 'stop'],
  mutationFn: async (one: Tagged) => {
    await api.DELETE('/api/v1/managed-certificates/{name}', { params: tagged(one) })
  },
})

/** Nodes and configs say when it is old; that a form be open so long is rare. */
const LOOK_GOOD_MS = 10_000

export const hostsLookQuery = (names: readonly string[]) =>
  queryOptions({
    queryKey: [...MANAGED, 'hosts', names],
    queryFn: ({ signal }) =>
      bodyOf(
        api.POST('/api/v1/managed-certificates/preflight', { body: { names: [...names] }, signal }),
      ),
    staleTime: LOOK_GOOD_MS,
    // While others are typed, those that are known stay.
    placeholderData: (before) => before,
  })

export type ManagedAction = 'order-now' | 'pause' | 'resume' | 'cancel'

export const actMutation = mutationOptions({
  mutationKey: [...MANAGED, 'act'],
  mutationFn: ({ name, action }: { name: string; action: ManagedAction }) => {
    const params = { path: { name } }
    switch (action) {
      case 'order-now':
        return bodyOf(api.POST('/api/v1/managed-certificates/{name}/actions/order-now', { params }))
      case 'pause':
        return bodyOf(api.POST('/api/v1/managed-certificates/{name}/actions/pause', { params }))
      case 'resume':
        return bodyOf(api.POST('/api/v1/managed-certificates/{name}/actions/resume', { params }))
      case 'cancel':
        return bodyOf(api.POST('/api/v1/managed-certificates/{name}/actions/cancel', { params }))
    }
  },
})
