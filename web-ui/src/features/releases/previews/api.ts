// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'

/** No event tells that a node has come further. */
const WHILE_FETCHING_MS = 3000
/** Begins as the keys of releases do: their events make it old. */
const keyOf = (name: string) => ['releases', 'previews', name]

export const previewsQuery = (name: string) =>
  queryOptions({
    queryKey: keyOf(name),
    queryFn: ({ signal }) => {
      const params = { path: { name } }
      return bodyOf(api.GET('/api/v1/releases/{name}/previews', { params, signal }))
    },
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === 'fetching') ? WHILE_FETCHING_MS : false,
  })

type Start = { name: string; number: number; nodeId: string; hours: number }

export const startPreviewMutation = mutationOptions({
  mutationFn: ({ name, number, ...body }: Start) => {
    const params = { path: { name, number } }
    return bodyOf(api.POST('/api/v1/releases/{name}/versions/{number}/previews', { params, body }))
  },
})

export const endPreviewMutation = mutationOptions({
  mutationFn: async (path: { name: string; id: string }) => {
    await api.DELETE('/api/v1/releases/{name}/previews/{id}', { params: { path } })
  },
})
