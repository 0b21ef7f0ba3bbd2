// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'

/** No event tells that a node has answered. */
const WHILE_WAITING_MS = 2000
/** Begins as the keys of releases do: their events make it old. */
const keyOf = (name: string, number: number) => ['releases', 'look', name, number]

export const lookQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: keyOf(name, number),
    queryFn: ({ signal }) => {
      const params = { path: { name, number } }
      return bodyOf(api.GET('/api/v1/releases/{name}/versions/{number}/look', { params, signal }))
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.nodes.waiting > 0 ? WHILE_WAITING_MS : false,
  })

export const startLookMutation = mutationOptions({
  mutationFn: (path: { name: string; number: number }) =>
    bodyOf(api.POST('/api/v1/releases/{name}/versions/{number}/look', { params: { path } })),
})
