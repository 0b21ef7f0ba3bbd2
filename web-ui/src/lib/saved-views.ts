// SPDX-License-Identifier: MIT
// Views of lists that somebody has saved: filters, order and columns, as the list's address holds them.
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './api-client.ts'
import type { SavedView } from './api-types.ts'

export type ViewList = SavedView['list']
export type ViewSearch = SavedView['search']

export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/v1/views', { signal }))).items,
  staleTime: 60_000,
})

type Named = { list: ViewList; name: string }

export const saveViewMutation = mutationOptions({
  mutationKey: ['saved-views', 'save'],
  mutationFn: ({ list, name, search }: Named & { search: ViewSearch }) =>
    bodyOf(
      api.PUT('/api/v1/views/{list}/{view}', {
        params: { path: { list, view: name } },
        body: { search },
      }),
    ),
})

export const deleteViewMutation = mutationOptions({
  mutationKey: ['saved-views', 'delete'],
  mutationFn: async ({ list, name }: Named) => {
    await api.DELETE('/api/v1/views/{list}/{view}', { params: { path: { list, view: name } } })
  },
})

/** What of an address is kept: what is not set is as by default. */
export const viewSearchOf = (search: object): ViewSearch =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    ),
  )

/** Whatever the order of their members. */
export const isSameSearch = (one: ViewSearch, other: ViewSearch): boolean =>
  written(one) === written(other)

const written = (search: ViewSearch) =>
  JSON.stringify(Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1)))
