// SPDX-License-Identifier: MIT
// A search, from its start until it ends by itself, by a button, or because nobody looks any more.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, bodyOf } from '../../../lib/api-client.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { StartSearch } from '../../../lib/api-types.ts'
import { type Found, MOST_ROWS, withFound } from './found.ts'

const EVERY_MS = 1_000

const foundQuery = (id: string, rows: number) =>
  queryOptions({
    queryKey: ['request-search', id],
    queryFn: async ({ client, queryKey, signal }): Promise<Found> => {
      const before = client.getQueryData<Found>(queryKey)
      const query = { after: before?.search.next ?? 0, limit: rows }
      const params = { path: { id }, query }
      const answer = await bodyOf(api.GET('/api/v1/request-searches/{id}', { params, signal }))
      return withFound(before, answer)
    },
    // Not in a tab that is hidden: the search ends when nobody looks.
    refetchInterval: ({ state: { data, error } }) =>
      data?.search.state === 'ended' || isApiError(error, 404) ? false : EVERY_MS,
    structuralSharing: false,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

const endSearch = (id: string) =>
  api.DELETE('/api/v1/request-searches/{id}', { params: { path: { id } } })

/** `rows`: so many of the requests themselves, each time. */
export function useRequestSearch(rows = MOST_ROWS) {
  const client = useQueryClient()
  const [id, setId] = useState<string | null>(null)
  const found = useQuery({ ...foundQuery(id ?? '', rows), enabled: id !== null })
  const start = useMutation({
    mutationFn: (body: StartSearch) => bodyOf(api.POST('/api/v1/request-searches', { body })),
    onSuccess: (search) => setId(search.id),
  })
  const stop = useMutation({
    mutationFn: endSearch,
    onSettled: (_, __, ended) => client.invalidateQueries({ queryKey: ['request-search', ended] }),
  })
  // Who leaves the page, or begins another, ends it at once.
  useEffect(() => {
    if (id === null) return
    return () => void endSearch(id).catch(() => undefined)
  }, [id])
  const isSearching = id !== null && !found.isError && found.data?.search.state !== 'ended'
  return {
    found: found.data,
    isSearching: isSearching || start.isPending,
    /** What went wrong last. */
    error: start.error ?? (id === null ? null : found.error),
    start: start.mutate,
    stop: () => id !== null && stop.mutate(id),
  }
}
