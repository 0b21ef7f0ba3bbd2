// SPDX-License-Identifier: MIT
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { Rollout, RolloutPlan } from '../../lib/api-types.ts'

export const rolloutsQuery = queryOptions({
  queryKey: ['rollouts', 'list'],
  queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/rollouts', { signal })),
})

export const rolloutQuery = (id: string) =>
  queryOptions({
    queryKey: ['rollouts', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/rollouts/{id}', { params: { path: { id } }, signal })),
  })

/** `selector` narrows it to nodes whose labels match. */
export type Release = { config: string; version: number; selector?: string }

/** What it would do now: asked again whenever the screen is opened or a node changes. */
export const planQuery = (release: Release) =>
  queryOptions({
    queryKey: ['rollouts', 'plan', release.config, release.version, release.selector ?? ''],
    queryFn: async ({ signal }): Promise<RolloutPlan> => {
      const answer = await bodyOf(
        api.POST('/api/v1/rollouts', {
          params: { query: { dry_run: '1' } },
          body: release,
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

export const startRolloutMutation = mutationOptions({
  mutationKey: ['rollouts', 'start'],
  mutationFn: async (release: Release & { message?: string }): Promise<Rollout> => {
    const answer = await bodyOf(api.POST('/api/v1/rollouts', { body: release }))
    if ('id' in answer) return answer
    throw new ApiError(-1, {
      detail: 'The control plane answered with a plan, not with a rollout.',
    })
  },
})

export type RolloutAction = 'freeze' | 'pause' | 'resume' | 'skip-gate' | 'revert'
export type RolloutOrder = { id: string; stateVersion: number; reason?: string }

export const rolloutActionMutation = (action: RolloutAction) =>
  mutationOptions({
    mutationKey: ['rollouts', action],
    mutationFn: ({ id, stateVersion, reason = '' }: RolloutOrder) => {
      const params = { path: { id } }
      const body = { stateVersion }
      const explained = { stateVersion, ...(reason !== '' && { reason }) }
      switch (action) {
        case 'freeze':
          return bodyOf(api.POST('/api/v1/rollouts/{id}/actions/freeze', { params, body }))
        case 'resume':
          return bodyOf(api.POST('/api/v1/rollouts/{id}/actions/resume', { params, body }))
        case 'pause':
          return bodyOf(
            api.POST('/api/v1/rollouts/{id}/actions/pause', { params, body: explained }),
          )
        case 'revert':
          return bodyOf(
            api.POST('/api/v1/rollouts/{id}/actions/revert', { params, body: explained }),
          )
        case 'skip-gate':
          return bodyOf(
            api.POST('/api/v1/rollouts/{id}/actions/skip-gate', {
              params,
              body: { stateVersion, reason },
            }),
          )
      }
    },
  })
