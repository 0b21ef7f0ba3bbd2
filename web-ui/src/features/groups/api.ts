// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Group, Impact } from '../../lib/api-types.ts'
import { impactOf } from '../../lib/impact.ts'

/** There are at most a hundred. */
export const groupsQuery = queryOptions({
  queryKey: ['groups', 'list'],
  queryFn: async ({ signal }): Promise<Group[]> =>
    (await bodyOf(api.GET('/api/v1/groups', { params: { query: { limit: 500 } }, signal }))).items,
})

export const configNamesQuery = queryOptions({
  queryKey: ['configs', 'names'],
  queryFn: async ({ signal }): Promise<string[]> => {
    const query = { limit: 500 }
    const page = await bodyOf(api.GET('/api/v1/configs', { params: { query }, signal }))
    return page.items.map(({ name }) => name)
  },
})

/** The group with the ETag that a change of it must carry. */
export const taggedGroupQuery = (name: string) =>
  queryOptions({
    // Not below 'groups', which live updates read again: an ETag must be of what its reader has seen.
    queryKey: ['group-to-change', name],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/groups/{name}', { params: { path: { name } }, signal })),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export const orderQuery = queryOptions({
  queryKey: ['groups', 'order'],
  queryFn: ({ signal }) => taggedBodyOf(api.GET('/api/v1/group-order', { signal })),
})

export type GroupSettings = {
  name: string
  description: string
  selector: string
  config: string | null
  mergePatch: Record<string, unknown>
  forgetAfterHours: number | null
}
/** `etag`: of the group as it was read; null: there is none yet. */
export type GroupSave = { settings: GroupSettings; etag: string | null }

async function save({ settings, etag }: GroupSave, dryRun: '0' | '1'): Promise<Group | Impact> {
  const query = { dryRun }
  if (etag === null) {
    return await bodyOf(api.POST('/api/v1/groups', { params: { query }, body: settings }))
  }
  const { name, ...body } = settings
  const params = { path: { name }, header: { 'if-match': etag }, query }
  return await bodyOf(api.PUT('/api/v1/groups/{name}', { params, body }))
}

export const saveGroupMutation = mutationOptions({
  mutationKey: ['groups', 'save'],
  mutationFn: (change: GroupSave) => save(change, '0'),
})

/** What saving would do. */
export const askGroupImpact = async (change: GroupSave): Promise<Impact> =>
  impactOf(await save(change, '1'))

export type GroupRemoval = { name: string; etag: string }

export const removalImpactQuery = ({ name, etag }: GroupRemoval) =>
  queryOptions({
    queryKey: ['group-impact', 'removal', name, etag],
    queryFn: async () => {
      const params = {
        path: { name },
        header: { 'if-match': etag },
        query: { dryRun: '1' as const },
      }
      return impactOf(await bodyOf(api.DELETE('/api/v1/groups/{name}', { params })))
    },
    retry: false,
    gcTime: 0,
  })

export const deleteGroupMutation = mutationOptions({
  mutationKey: ['groups', 'delete'],
  mutationFn: async ({ name, etag }: GroupRemoval) => {
    const params = { path: { name }, header: { 'if-match': etag } }
    await api.DELETE('/api/v1/groups/{name}', { params })
  },
})

export const putOrderMutation = mutationOptions({
  mutationKey: ['groups', 'order'],
  mutationFn: ({ names, etag }: { names: string[]; etag: string }) =>
    api.PUT('/api/v1/group-order', { params: { header: { 'if-match': etag } }, body: { names } }),
})
