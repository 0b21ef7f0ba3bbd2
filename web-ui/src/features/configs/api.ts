// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, baseUrl, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Draft, Version } from '../../lib/api-types.ts'
import type { SchemaNode } from './schema-walk.ts'
import type { Side, VersionsSearch } from './search.ts'

const PAGE_SIZE = 100
/** Pages go on where the one before ended. */
const paged = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
}

/** By name; `q` is a part of it. */
export const configsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['configs', 'list', q],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(q !== '' && { q }), ...after(pageParam) }
      return bodyOf(api.GET('/api/v1/configs', { params: { query }, signal }))
    },
    ...paged,
  })

const after = (cursor: string | null) => (cursor === null ? {} : { cursor })

export const configQuery = (name: string) =>
  queryOptions({
    queryKey: ['configs', 'one', name],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/configs/{name}', { params: { path: { name } }, signal })),
  })

/** Newest first. */
export const versionsQuery = (name: string, filters: VersionsSearch = {}) =>
  infiniteQueryOptions({
    queryKey: ['configs', 'versions', name, filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...given(filters), ...after(pageParam) }
      const params = { path: { name }, query }
      return bodyOf(api.GET('/api/v1/configs/{name}/versions', { params, signal }))
    },
    ...paged,
  })

/** Without what is left open. */
const given = ({ q, author, source }: VersionsSearch) => ({
  ...(q !== undefined && { q }),
  ...(author !== undefined && { author }),
  ...(source !== undefined && { source }),
})

export const versionQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: ['configs', 'version', name, number],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/configs/{name}/versions/{number}', {
          params: { path: { name, number } },
          signal,
        }),
      ),
  })

export const diffQuery = (name: string, from: Side, to: Side) =>
  queryOptions({
    queryKey: ['configs', 'diff', name, from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/configs/{name}/diff', {
          params: { path: { name }, query: { from: String(from), to: String(to) } },
          signal,
        }),
      ),
  })

export type TaggedDraft = { body: Draft; etag: string }

export const draftQuery = (name: string) =>
  queryOptions({
    queryKey: ['drafts', name],
    queryFn: ({ signal }): Promise<TaggedDraft> =>
      taggedBodyOf(api.GET('/api/v1/configs/{name}/draft', { params: { path: { name } }, signal })),
    // Read anew each time the editor opens: to type on an old text is to run into a conflict.
    staleTime: 0,
  })

/** The browser's bound for what outlives its page, less what stands around the text. */
const MAX_KEPT_ALIVE_BYTES = 60_000
const outlivesPage = (text: string) =>
  new TextEncoder().encode(JSON.stringify(text)).length <= MAX_KEPT_ALIVE_BYTES

/** `baseVersion`: the version whose changes the text has; left out: as before. */
export type DraftChange = { name: string; text: string; etag: string; baseVersion?: number }
export const putDraft = ({ name, etag, ...body }: DraftChange): Promise<TaggedDraft> =>
  taggedBodyOf(
    api.PUT('/api/v1/configs/{name}/draft', {
      params: { path: { name }, header: { 'if-match': etag } },
      body,
      // A save that is under way when the tab is closed arrives all the same.
      keepalive: outlivesPage(body.text),
    }),
  )

export const discardDraft = ({
  name,
  etag,
}: Pick<DraftChange, 'name' | 'etag'>): Promise<TaggedDraft> =>
  taggedBodyOf(
    api.DELETE('/api/v1/configs/{name}/draft', {
      params: { path: { name }, header: { 'if-match': etag } },
    }),
  )

export type NewVersion = { name: string; text: string; message: string; parent: number | null }
export const createVersionMutation = mutationOptions({
  mutationKey: ['configs', 'create-version'],
  mutationFn: async ({ name, ...body }: NewVersion) =>
    asVersion(
      await bodyOf(
        api.POST('/api/v1/configs/{name}/versions', { params: { path: { name } }, body }),
      ),
    ),
})

export type Restore = { name: string; number: number; message: string; parent: number }
export const restoreVersionMutation = mutationOptions({
  mutationKey: ['configs', 'restore-version'],
  mutationFn: async ({ name, number, ...body }: Restore) =>
    asVersion(
      await bodyOf(
        api.POST('/api/v1/configs/{name}/versions/{number}/actions/restore', {
          params: { path: { name, number } },
          body,
        }),
      ),
    ),
})

/** Only who asks for a plan is answered with one. */
function asVersion(answer: Version | { dryRun: true }): Version {
  if ('dryRun' in answer) throw new Error('The control plane answered with a plan.')
  return answer
}

export type MergeOrder = { name: string; text: string; baseVersion: number }
/** The text, begun on that version, with what the latest one changed since. Stores nothing. */
export const mergeVersionsMutation = mutationOptions({
  mutationKey: ['configs', 'merge'],
  mutationFn: ({ name, ...body }: MergeOrder) =>
    bodyOf(api.POST('/api/v1/configs/{name}/merge', { params: { path: { name } }, body })),
})

/** Where a version's text comes from as a file. */
export const exportUrl = (name: string, number: number) =>
  new URL(`api/v1/configs/${name}/versions/${number}/text`, baseUrl).href

/** Of one text the answer changes only when the node binary does. */
export const validationQuery = (text: string) =>
  queryOptions({
    queryKey: ['validation', text],
    queryFn: ({ signal }) =>
      bodyOf(api.POST('/api/v1/configs/validate', { body: { text }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

/** Nodes come and go, and others roll out: what was true of them is asked anew after a while. */
const EFFECT_HOLDS_MS = 30_000

/** What the text would do to the nodes as the next version. */
export const effectQuery = (name: string, text: string) =>
  queryOptions({
    queryKey: ['effect', name, text],
    queryFn: ({ signal }) =>
      bodyOf(
        api.POST('/api/v1/configs/{name}/effect', {
          params: { path: { name } },
          body: { text },
          signal,
        }),
      ),
    staleTime: EFFECT_HOLDS_MS,
    gcTime: 60_000,
  })

export const configSchemaQuery = queryOptions({
  queryKey: ['config-schema'],
  queryFn: async ({ signal }): Promise<SchemaNode> =>
    (await bodyOf(api.GET('/api/v1/config-schema', { signal }))) as SchemaNode,
  staleTime: Number.POSITIVE_INFINITY,
})
