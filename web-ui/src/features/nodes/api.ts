// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Metrics, Node, Stage } from '../../lib/api-types.ts'

const PAGE_SIZE = 500

export const nodesQuery = queryOptions({
  queryKey: ['nodes', 'list'],
  queryFn: async ({ signal }): Promise<Node[]> => {
    const nodes: Node[] = []
    let cursor: string | null = null
    do {
      const query: { limit: number; cursor?: string } = { limit: PAGE_SIZE }
      if (cursor !== null) query.cursor = cursor
      const page = await bodyOf(api.GET('/api/v1/nodes', { params: { query }, signal }))
      nodes.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    return nodes
  },
})

export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id } }, signal })),
  })

export const effectiveConfigQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'effective-config', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/effective-config', { params: { path: { id } }, signal })),
  })

export const overrideQuery = (id: string) =>
  queryOptions({
    queryKey: ['overrides', id],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/nodes/{id}/override', { params: { path: { id } }, signal })),
  })

export const putOverrideMutation = mutationOptions({
  mutationKey: ['overrides', 'put'],
  mutationFn: (change: { id: string; etag: string; mergePatch: Record<string, unknown> }) =>
    bodyOf(
      api.PUT('/api/v1/nodes/{id}/override', {
        params: { path: { id: change.id }, header: { 'if-match': change.etag } },
        body: { mergePatch: change.mergePatch },
      }),
    ),
})

export type MetricsWindow = { rangeSeconds: number; stepSeconds: number; stage: Stage }

/** The window ends now: the range is asked for anew at each refresh, so it is the key and not the times. */
export const metricsQuery = (node: string | null, window: MetricsWindow) =>
  queryOptions({
    queryKey: ['metrics', node, window],
    queryFn: ({ signal }): Promise<Metrics> => {
      const to = Date.now()
      const from = to - window.rangeSeconds * 1000
      return bodyOf(
        api.GET('/api/v1/metrics/query', {
          params: {
            query: {
              ...(node !== null && { node }),
              stage: window.stage,
              from: new Date(from).toISOString(),
              to: new Date(to).toISOString(),
              stepSeconds: window.stepSeconds,
            },
          },
          signal,
        }),
      )
    },
    placeholderData: (previous) => previous,
  })

export type NewToken = { labels?: Record<string, string>; maxUses?: number }
export const createTokenMutation = mutationOptions({
  mutationKey: ['enrolment-tokens', 'create'],
  mutationFn: (body: NewToken) => bodyOf(api.POST('/api/v1/enrolment-tokens', { body })),
})
