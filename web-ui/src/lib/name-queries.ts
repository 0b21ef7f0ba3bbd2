// SPDX-License-Identifier: MIT
// Names to choose one of, and the name of what is known by its id: more than one place of the console asks.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './api-client.ts'

/** Not below 'groups', which are counted, and so read again whenever a node changes. */
export const groupNamesQuery = queryOptions({
  queryKey: ['group-names'],
  queryFn: async ({ signal }) => {
    const query = { limit: 500 }
    const page = await bodyOf(api.GET('/api/v1/groups', { params: { query }, signal }))
    return page.items.map(({ name }) => name)
  },
})

const FOUND_AT_MOST = 20

/** Those with this in their names, to choose one of. */
export const nodesNamedQuery = (part: string) =>
  queryOptions({
    queryKey: ['nodes', 'named', part],
    queryFn: ({ signal }) => {
      const query = { limit: FOUND_AT_MOST, ...(part !== '' && { q: part }) }
      return bodyOf(api.GET('/api/v1/nodes', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
  })

/** Of whom only the id is known. */
export const nodeNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['node-name', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await bodyOf(api.GET('/api/v1/nodes/{id}', { params, signal }))).name
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
