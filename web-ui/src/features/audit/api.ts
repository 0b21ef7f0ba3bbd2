// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, baseUrl, bodyOf } from '../../lib/api-client.ts'
import { type AuditSearch, filterOf } from './search.ts'

const PAGE_SIZE = 50

/** Newest first. */
export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', search],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...filterOf(search),
        limit: PAGE_SIZE,
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/audit', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

export const auditEntryQuery = (id: number) =>
  queryOptions({
    queryKey: ['audit', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/audit/{id}', { params: { path: { id } }, signal })),
  })

const WHILE_RUNNING_MS = 1000

export const verificationQuery = queryOptions({
  queryKey: ['audit-verification'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/audit/verification', { signal })),
  refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? WHILE_RUNNING_MS : false),
})

export const verifyMutation = mutationOptions({
  mutationKey: ['audit-verification', 'start'],
  mutationFn: () => bodyOf(api.POST('/api/v1/audit/verification')),
})

/** A download is a plain link: the browser takes it as it comes. */
export function exportUrl(search: AuditSearch, format: 'ndjson' | 'csv'): string {
  const url = new URL('api/v1/audit/export', baseUrl)
  for (const [name, value] of Object.entries({ ...filterOf(search), format })) {
    url.searchParams.set(name, value)
  }
  return url.href
}
