// SPDX-License-Identifier: MIT
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { NewRollout, Preflight, Rollout, RolloutPlan } from '../../lib/api-types.ts'
import { isWatched } from './rules.ts'

export const rolloutsQuery = queryOptions({
  queryKey: ['rollouts', 'list'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/rollouts', { signal })),
})

/** What is measured meanwhile is no event. */
const WHILE_WATCHED_MS = 5000

export const rolloutQuery = (id: string) =>
  queryOptions({
    queryKey: ['rollouts', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/rollouts/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isWatched(data) ? WHILE_WATCHED_MS : false),
  })

const TIMELINE_PAGE_SIZE = 200

/** What the audit has of it, newest first. */
export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['rollouts', 'timeline', id],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        kind: 'rollout',
        object: id,
        limit: TIMELINE_PAGE_SIZE,
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/audit', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/** An entry never changes. */
export const timelineEntryQuery = (id: number) =>
  queryOptions({
    queryKey: ['rollout-timeline-entry', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/audit/{id}', { params: { path: { id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** `selector` narrows it to nodes whose labels match. */
export type Release = { config: string; version: number; selector?: string; nodes?: string[] }
/** Without a strategy: carefully. */
export type Order = Release & Pick<NewRollout, 'strategy' | 'emergency'>

/** What it would do now: asked again whenever the screen is opened or a node changes. */
export const planQuery = (order: Order) =>
  queryOptions({
    queryKey: ['rollouts', 'plan', order],
    queryFn: async ({ signal }): Promise<RolloutPlan> => {
      const answer = await bodyOf(
        api.POST('/api/v1/rollouts', {
          params: { query: { dryRun: '1' } },
          body: order,
          signal,
        }),
      )
      if ('nodes' in answer) return answer
      throw new ApiError(-1, {
        detail: 'The control plane started a rollout where a plan was asked for. Look at Rollouts.',
      })
    },
    staleTime: 0,
  })

/** Asked for once, and again when somebody wants: each time it troubles the nodes. */
export const preflightQuery = (order: Order) => {
  const body = toBeChecked(order)
  return queryOptions({
    queryKey: ['preflight', body],
    queryFn: ({ signal }): Promise<Preflight> =>
      bodyOf(api.POST('/api/v1/rollouts/preflight', { body, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Waves and limits change nothing of what a node would say. */
function toBeChecked({ config, version, selector, strategy = {} }: Order): Order {
  const { probes, excludeKinds } = strategy
  const said = { ...(probes && { probes }), ...(excludeKinds && { excludeKinds }) }
  return {
    ...{ config, version },
    ...(selector !== undefined && { selector }),
    ...(Object.keys(said).length > 0 && { strategy: said }),
  }
}

export const startRolloutMutation = mutationOptions({
  mutationKey: ['rollouts', 'start'],
  mutationFn: async (order: NewRollout): Promise<Rollout> => {
    const answer = await bodyOf(api.POST('/api/v1/rollouts', { body: order }))
    if ('id' in answer) return answer
    throw new ApiError(-1, {
      detail: 'The control plane answered with a plan, not with a rollout.',
    })
  },
})

export type RolloutAction =
  | 'freeze'
  | 'pause'
  | 'resume'
  | 'skip-gate'
  | 'revert'
  | 'approve'
  | 'reject'
  | 'cancel'
/** `planDigest`: of the plan that was looked at. */
export type RolloutOrder = {
  id: string
  stateVersion: number
  planDigest: string
  reason?: string
}

export const rolloutActionMutation = (action: RolloutAction) =>
  mutationOptions({
    mutationKey: ['rollouts', action],
    mutationFn: (order: RolloutOrder) => bodyOf(act(action, order)),
  })

function act(action: RolloutAction, { id, stateVersion, planDigest, reason = '' }: RolloutOrder) {
  const params = { path: { id } }
  const body = { stateVersion }
  const explained = { stateVersion, ...(reason !== '' && { reason }) }
  const reasoned = { stateVersion, reason }
  switch (action) {
    case 'freeze':
      return api.POST('/api/v1/rollouts/{id}/actions/freeze', { params, body })
    case 'resume':
      return api.POST('/api/v1/rollouts/{id}/actions/resume', { params, body })
    case 'cancel':
      return api.POST('/api/v1/rollouts/{id}/actions/cancel', { params, body })
    case 'pause':
      return api.POST('/api/v1/rollouts/{id}/actions/pause', { params, body: explained })
    case 'revert':
      return api.POST('/api/v1/rollouts/{id}/actions/revert', { params, body: explained })
    case 'skip-gate':
      return api.POST('/api/v1/rollouts/{id}/actions/skip-gate', { params, body: reasoned })
    case 'reject':
      return api.POST('/api/v1/rollouts/{id}/actions/reject', { params, body: reasoned })
    case 'approve': {
      const approval = { stateVersion, planDigest }
      return api.POST('/api/v1/rollouts/{id}/actions/approve', { params, body: approval })
    }
  }
}
