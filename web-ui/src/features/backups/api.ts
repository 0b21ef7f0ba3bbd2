// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, baseUrl, bodyOf } from '../../lib/api-client.ts'

const PAGE_SIZE = 50
const BACKUPS = ['backups']

export const backupsKey = { queryKey: BACKUPS }

/** Newest first. */
export const backupsQuery = infiniteQueryOptions({
  queryKey: [...BACKUPS, 'list'],
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
    return bodyOf(api.GET('/api/v1/backups', { params: { query }, signal }))
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
})

export const backupSettingsQuery = queryOptions({
  queryKey: [...BACKUPS, 'settings'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/backups/settings', { signal })),
})

export const createBackupMutation = mutationOptions({
  mutationKey: [...BACKUPS, 'create'],
  mutationFn: () => bodyOf(api.POST('/api/v1/backups')),
})

export const deleteBackupMutation = mutationOptions({
  mutationKey: [...BACKUPS, 'delete'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/backups/{id}', { params: { path: { id } } })
  },
})

/** The browser itself fetches it: it may be larger than what a page should hold. */
export const contentUrl = (id: string) =>
  new URL(`api/v1/backups/${encodeURIComponent(id)}/content`, baseUrl).href

/** Nodes report one after the other, and not every report is an event. */
const WHILE_IN_RECOVERY_MS = 3000

export const recoveryQuery = queryOptions({
  queryKey: [...BACKUPS, 'recovery'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/recovery', { signal })),
  refetchInterval: ({ state }) => (state.data?.recovery ? WHILE_IN_RECOVERY_MS : false),
})

export const confirmRecoveryMutation = mutationOptions({
  mutationKey: [...BACKUPS, 'confirm-recovery'],
  mutationFn: (withoutUnheard: boolean) =>
    bodyOf(api.POST('/api/v1/recovery/confirm', { body: { withoutUnheard } })),
})
