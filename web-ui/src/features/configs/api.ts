// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Draft } from '../../lib/api-types.ts'
import type { SchemaNode } from './schema-walk.ts'

export const configsQuery = queryOptions({
  queryKey: ['configs', 'list'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/configs', { signal })),
})

export const configQuery = (name: string) =>
  queryOptions({
    queryKey: ['configs', 'one', name],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/configs/{name}', { params: { path: { name } }, signal })),
  })

const VERSIONS_SHOWN = 200

export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ['configs', 'versions', name],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/configs/{name}/versions', {
          params: { path: { name }, query: { limit: VERSIONS_SHOWN } },
          signal,
        }),
      ),
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

export const diffQuery = (name: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['configs', 'diff', name, from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/configs/{name}/diff', {
          params: { path: { name }, query: { from, to } },
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

export type DraftChange = { name: string; text: string; etag: string }
export const putDraft = ({ name, text, etag }: DraftChange): Promise<TaggedDraft> =>
  taggedBodyOf(
    api.PUT('/api/v1/configs/{name}/draft', {
      params: { path: { name }, header: { 'if-match': etag } },
      body: { text },
    }),
  )

export type NewVersion = { name: string; text: string; message: string; parent: number | null }
export const createVersionMutation = mutationOptions({
  mutationKey: ['configs', 'create-version'],
  mutationFn: ({ name, ...body }: NewVersion) =>
    bodyOf(api.POST('/api/v1/configs/{name}/versions', { params: { path: { name } }, body })),
})

/** Of one text the answer changes only when the node binary does. */
export const validationQuery = (text: string) =>
  queryOptions({
    queryKey: ['validation', text],
    queryFn: ({ signal }) =>
      bodyOf(api.POST('/api/v1/configs/validate', { body: { text }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

export const configSchemaQuery = queryOptions({
  queryKey: ['config-schema'],
  queryFn: async ({ signal }): Promise<SchemaNode> =>
    (await bodyOf(api.GET('/api/v1/config-schema', { signal }))) as SchemaNode,
  staleTime: Number.POSITIVE_INFINITY,
})
