// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../lib/api-client.ts'
import type { ImportBody } from '../../../lib/api-types.ts'

/** Which servers' configs can be read, what the three lists are called, and the bounds. */
export const knownImportsQuery = queryOptions({
  queryKey: ['imports', 'known'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/imports', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})

/** `number` stands for the body, which may be a megabyte: too much for a key. */
export type Asked = { number: number; body: ImportBody }

/** The same files become the same, so it is asked once. */
export const importQuery = (asked: Asked | null) =>
  queryOptions({
    queryKey: ['imports', 'outcome', asked?.number ?? null],
    queryFn: ({ signal }) => {
      if (asked === null) throw new Error('Nothing was asked.')
      return bodyOf(api.POST('/api/v1/imports', { body: asked.body, signal }))
    },
    enabled: asked !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
