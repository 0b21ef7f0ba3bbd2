// SPDX-License-Identifier: MIT
import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, taggedBodyOf } from '../../lib/api-client.ts'
import type { Advice, Impact, Metrics, NodeList, NodesPage, Stage } from '../../lib/api-types.ts'
import { impactOf } from '../../lib/impact.ts'
import { MAX_ASKED } from './farm-chart-rules.ts'
import { BLOCK_ROWS } from './farm-rows.ts'
import { type Live, withAnswer } from './requests/rules.ts'
import { ALL_KEPT_HOURS, type HoursBack, MOST_KEPT } from './requests/slow-rules.ts'

/** So many rows of a list: of ten thousand nobody sees more at a time. */
export const nodeBlockQuery = (list: NodeList, index: number) =>
  queryOptions({
    queryKey: ['nodes', 'list', list, index],
    queryFn: ({ signal }): Promise<NodesPage> => {
      const query = { ...list, limit: BLOCK_ROWS, offset: index * BLOCK_ROWS }
      return bodyOf(api.GET('/api/v1/nodes', { params: { query }, signal }))
    },
    // Who scrolls through the farm leaves them behind.
    gcTime: 30_000,
  })

/** The slowest of a list. To find them takes a look at each, and they change slowly. */
export const slowestNodesQuery = (list: NodeList) =>
  queryOptions({
    queryKey: ['slowest-nodes', list],
    queryFn: ({ signal }): Promise<NodesPage> => {
      const slowest = { sort: 'p99', order: 'desc', limit: MAX_ASKED } as const
      const query = { ...list, ...slowest }
      return bodyOf(api.GET('/api/v1/nodes', { params: { query }, signal }))
    },
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })

/** A few numbers, whatever the size of the farm: for what is on every screen. */
export const farmSummaryQuery = queryOptions({
  queryKey: ['farm', 'summary'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/farm/summary', { signal })),
})

export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id } }, signal })),
  })

export const nodeNeighbourQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'neighbour', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/neighbour', { params: { path: { id } }, signal })),
  })

/** Of the config; null: there was none. */
export const lastRolloutQuery = (config: string) =>
  queryOptions({
    queryKey: ['rollouts', 'last', config],
    queryFn: async ({ signal }) => {
      const query = { config, limit: 1 }
      const { items } = await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))
      return items[0] ?? null
    },
  })

/** The node with the ETag that a change of its name or labels must carry. */
export const taggedNodeQuery = (id: string) =>
  queryOptions({
    // Not below 'nodes', which live updates read again: an ETag must be of what its reader has seen.
    queryKey: ['node-to-change', id],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/nodes/{id}', { params: { path: { id } }, signal })),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export type NodeChange = { id: string; etag: string; name: string; labels: Record<string, string> }
/** Not below 'nodes': what the stages mean changes by the minute, not with each event of the node. */
export const adviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['advice', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/advice', { params: { path: { id } }, signal })),
    refetchInterval: 60_000,
  })

export const tryAdviceMutation = mutationOptions({
  mutationKey: ['advice', 'try'],
  mutationFn: ({ id, rule }: { id: string; rule: Advice['rule'] }) =>
    bodyOf(api.POST('/api/v1/nodes/{id}/advice/{rule}/try', { params: { path: { id, rule } } })),
})

export const patchNodeMutation = mutationOptions({
  mutationKey: ['nodes', 'patch'],
  mutationFn: (change: NodeChange) => patchNode(change, '0'),
})

function patchNode({ id, etag, name, labels }: NodeChange, dryRun: '0' | '1') {
  const params = { path: { id }, header: { 'if-match': etag }, query: { dryRun } }
  return bodyOf(api.PATCH('/api/v1/nodes/{id}', { params, body: { name, labels } }))
}

export const askNodeImpact = async (change: NodeChange): Promise<Impact> =>
  impactOf(await patchNode(change, '1'))

export const effectiveConfigQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'effective-config', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/effective-config', { params: { path: { id } }, signal })),
  })

/** The version it should run as it would be made now: other than what it has when something changed since. */
export const renderedQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'rendered', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/rendered', { params: { path: { id } }, signal })),
  })

export const overrideQuery = (id: string) =>
  queryOptions({
    queryKey: ['overrides', id],
    queryFn: ({ signal }) =>
      taggedBodyOf(api.GET('/api/v1/nodes/{id}/override', { params: { path: { id } }, signal })),
  })

export const putOverrideMutation = mutationOptions({
  mutationKey: ['overrides', 'put'],
  mutationFn: (change: OverrideChange) => putOverride(change, '0'),
})

export type OverrideChange = { id: string; etag: string; mergePatch: Record<string, unknown> }

function putOverride({ id, etag, mergePatch }: OverrideChange, dryRun: '0' | '1') {
  const params = { path: { id }, header: { 'if-match': etag }, query: { dryRun } }
  return bodyOf(api.PUT('/api/v1/nodes/{id}/override', { params, body: { mergePatch } }))
}

export const askOverrideImpact = async (change: OverrideChange): Promise<Impact> =>
  impactOf(await putOverride(change, '1'))

/** `untilSeconds`: left out, it ends now. The range is asked for anew at each refresh, so it is the key and not the times. */
export type MetricsWindow = {
  rangeSeconds: number
  untilSeconds?: number
  stepSeconds: number
  stage: Stage
}

/** Of the nodes with these ids; null: of all. */
export const metricsQuery = (nodeIds: readonly string[] | null, window: MetricsWindow) =>
  queryOptions({
    queryKey: ['metrics', nodeIds, window],
    queryFn: ({ signal }): Promise<Metrics> => {
      const to = window.untilSeconds === undefined ? Date.now() : window.untilSeconds * 1000
      const from = to - window.rangeSeconds * 1000
      return bodyOf(
        api.GET('/api/v1/metrics/query', {
          params: {
            query: {
              ...(nodeIds !== null && { node: nodeIds.join() }),
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

/** From the next message on nobody speaks for it. */
export const revokeIdentityMutation = mutationOptions({
  mutationKey: ['nodes', 'revoke'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/nodes/{id}/identity', { params: { path: { id } } })
  },
})

/** Rollouts skip it until it is uncordoned. */
export const cordonMutation = mutationOptions({
  mutationKey: ['nodes', 'cordon'],
  mutationFn: async ({ id, reason }: { id: string; reason: string }) => {
    await api.PUT('/api/v1/nodes/{id}/cordon', { params: { path: { id } }, body: { reason } })
  },
})

export const uncordonMutation = mutationOptions({
  mutationKey: ['nodes', 'uncordon'],
  mutationFn: async (id: string) => {
    await api.DELETE('/api/v1/nodes/{id}/cordon', { params: { path: { id } } })
  },
})

export const decideCloneMutation = mutationOptions({
  mutationKey: ['nodes', 'clone'],
  mutationFn: async ({ id, keep }: { id: string; keep: string }) => {
    await api.POST('/api/v1/nodes/{id}/clone', { params: { path: { id } }, body: { keep } })
  },
})

/** Of this very change: another text has another digest. */
export const driftQuery = (id: string, digest: string) =>
  queryOptions({
    queryKey: ['nodes', 'drift', id, digest],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/nodes/{id}/drift', { params: { path: { id } }, signal })),
  })

export type DriftDecision = {
  id: string
  digest: string
  action: 'adopt' | 'discard'
  message?: string
}
export const decideDriftMutation = mutationOptions({
  mutationKey: ['nodes', 'drift'],
  mutationFn: ({ id, ...body }: DriftDecision) =>
    bodyOf(api.POST('/api/v1/nodes/{id}/drift', { params: { path: { id } }, body })),
})

/** Each question has the node go on sending, so a tab that nobody looks at asks nothing. */
export const liveRequestsQuery = (id: string) =>
  queryOptions({
    queryKey: ['live-requests', id],
    queryFn: async ({ client, queryKey, signal }): Promise<Live> => {
      const before = client.getQueryData<Live>(queryKey)
      const params = { path: { id }, query: { after: before?.next ?? 0 } }
      const answer = await bodyOf(api.GET('/api/v1/nodes/{id}/samples', { params, signal }))
      return withAnswer(before, answer)
    },
    refetchInterval: 1_000,
    refetchIntervalInBackground: false,
    structuralSharing: false,
    retry: false,
    gcTime: 0,
  })

/** All that are kept of the last hours: they are few enough to be sorted and searched here. */
export const slowRequestsQuery = (id: string, hours: HoursBack) =>
  queryOptions({
    // Not below 'nodes': it changes by the report, not with the node's events.
    queryKey: ['slow-requests', id, hours],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - hours * 3600_000).toISOString()
      // All of them are asked for without a time, which would be of a clock that may be wrong.
      const query = { limit: MOST_KEPT, ...(hours !== ALL_KEPT_HOURS && { from }) }
      const params = { path: { id }, query }
      return bodyOf(api.GET('/api/v1/nodes/{id}/slow-requests', { params, signal }))
    },
    refetchInterval: 60_000,
  })

/** Asks the node itself, so only when somebody wants it: never by itself, never again by itself. */
export const errorLogQuery = (id: string, lines: number) =>
  queryOptions({
    // Without the number of lines: what was read stays until more of it is there.
    queryKey: ['error-log', id],
    queryFn: ({ signal }) =>
      bodyOf(
        api.POST('/api/v1/nodes/{id}/error-log', {
          params: { path: { id } },
          body: { lines },
          signal,
        }),
      ),
    enabled: false,
    retry: false,
    gcTime: 0,
  })
