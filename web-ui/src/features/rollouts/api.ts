// SPDX-License-Identifier: MIT

import {
  infiniteQueryOptions,
  keepPreviousData,
  mutationOptions,
  queryOptions,
} from '@tanstack/react-query'
import { t } from '../../languages/t.ts'
import { api, bodyOf } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import type {
  NewRollout,
  NodeTask,
  Preflight,
  Rollout,
  RolloutPlan,
  RolloutTasks,
  TaskStanding,
} from '../../lib/api-types.ts'
import { isWatched } from './rules.ts'
import type { RolloutsSearch } from './search.ts'

const PAGE_SIZE = 100

/** Newest first. */
export const rolloutsQuery = ({ state, config, author }: RolloutsSearch = {}) =>
  infiniteQueryOptions({
    queryKey: ['rollouts', 'list', { state, config, author }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        ...(state !== undefined && { state }),
        ...(config !== undefined && { config }),
        ...(author !== undefined && { author }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

const NAMED_AT_MOST = 50

/** What these are of, however old they are. */
export const namedRolloutsQuery = (rolloutIds: readonly string[]) => {
  const ids = rolloutIds.slice(0, NAMED_AT_MOST).join(',')
  return queryOptions({
    queryKey: ['rollouts', 'named', ids],
    queryFn: async ({ signal }) => {
      const query = { ids, limit: NAMED_AT_MOST }
      return (await bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal }))).items
    },
  })
}

const FOUND_AT_MOST = 20

/** Configs with this in their names, to choose one of. */
export const configsNamedQuery = (part: string) =>
  queryOptions({
    queryKey: ['configs', 'named', part],
    queryFn: async ({ signal }) => {
      const query = { limit: FOUND_AT_MOST, ...(part !== '' && { q: part }) }
      const { items } = await bodyOf(api.GET('/api/v1/configs', { params: { query }, signal }))
      return items.map(({ name }) => name)
    },
    placeholderData: keepPreviousData,
  })

/** Its versions with this in message or number, newest first, to choose one of. */
export const versionsFoundQuery = (name: string, part: string) =>
  queryOptions({
    queryKey: ['configs', 'versions-found', name, part],
    queryFn: async ({ signal }) => {
      const query = { limit: FOUND_AT_MOST, ...(part !== '' && { q: part }) }
      const params = { path: { name }, query }
      return (await bodyOf(api.GET('/api/v1/configs/{name}/versions', { params, signal }))).items
    },
    placeholderData: keepPreviousData,
  })

/** Versions of a release to choose one of, newest first. */
export const releaseVersionsQuery = (name: string) =>
  queryOptions({
    queryKey: ['releases', 'to-choose', name],
    queryFn: async ({ signal }) => {
      const params = { path: { name }, query: { limit: PAGE_SIZE } }
      return (await bodyOf(api.GET('/api/v1/releases/{name}/versions', { params, signal }))).items
    },
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

export type TaskFilter = {
  exceptions?: boolean
  state?: TaskStanding
  wave?: number
  name?: string
  /** Part of a name. */
  q?: string
  running?: boolean
}
/** As many rows as are shown at a time. */
export const TASKS_SHOWN = 50

export const tasksQuery = (id: string, filter: TaskFilter, cursor: string | null) =>
  queryOptions({
    queryKey: ['rollouts', 'tasks', id, filter, cursor],
    queryFn: ({ signal }) => {
      const query = { ...filter, limit: TASKS_SHOWN, ...(cursor !== null && { cursor }) }
      return askTasks({ id, query, signal })
    },
  })

type AskTasks = {
  id: string
  query: TaskFilter & { limit: number; cursor?: string }
  signal: AbortSignal
}
const askTasks = ({ id, query, signal }: AskTasks): Promise<RolloutTasks> =>
  bodyOf(api.GET('/api/v1/rollouts/{id}/tasks', { params: { path: { id }, query }, signal }))

/** As many nodes as an order may name. */
export const MOST_NAMED = 1000

/** All that fit into another order; with more than that there is one too many. */
export const namedTasksQuery = (id: string, filter: TaskFilter) =>
  queryOptions({
    queryKey: ['rollouts', 'named-tasks', id, filter],
    queryFn: async ({ signal }): Promise<{ items: NodeTask[]; total: number }> => {
      const items: NodeTask[] = []
      for (let cursor = ''; ; ) {
        const query = { ...filter, limit: 500, ...(cursor !== '' && { cursor }) }
        const page = await askTasks({ id, query, signal })
        items.push(...page.items)
        if (page.nextCursor === null || items.length > MOST_NAMED) {
          return { items, total: page.total }
        }
        cursor = page.nextCursor
      }
    },
  })

/** The state of every node. */
export const cellsQuery = (id: string) =>
  queryOptions({
    queryKey: ['rollouts', 'cells', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/rollouts/{id}/cells', { params: { path: { id } }, signal })),
    structuralSharing: false,
  })

/** As many as an answer has. */
const NAMES_AT_ONCE = 2000
/** Of a cell, in the names that it was asked for with. */
export const placeOfName = (cell: number) => cell % NAMES_AT_ONCE

/** Whose a cell is, asked for when somebody is at it. `order`: of the cells; of another one nobody's is known. */
export const cellNamesQuery = (id: string, order: string, cell: number) => {
  const from = cell - placeOfName(cell)
  return queryOptions({
    queryKey: ['rollout-cell-names', id, order, from],
    queryFn: async ({ client, signal }) => {
      const params = { path: { id }, query: { namesFrom: from } }
      const found = await bodyOf(api.GET('/api/v1/rollouts/{id}/cells', { params, signal }))
      if (found.order === order) return found.names ?? []
      await client.invalidateQueries(cellsQuery(id))
      return []
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

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
export type Release = {
  config: string
  version: number
  /** By name; of others what was proved last. */
  releases?: Record<string, number>
  selector?: string
  nodes?: string[]
}
/** Without a strategy: carefully. */
export type Order = Release & Pick<NewRollout, 'strategy' | 'emergency'>

/** What it would do now: asked again whenever the screen is opened or a node changes. */
export const planQuery = (order: Order) =>
  queryOptions({
    queryKey: ['rollouts', 'plan', order],
    queryFn: ({ signal }) => askPlan(order, signal),
    staleTime: 0,
  })

const BARE_FOR_MS = 10_000

/** Of the waves alone, asked for behind the plan itself: an event that makes that one old must not have both made at once. */
export const barePlanQuery = (order: Order) =>
  queryOptions({
    queryKey: ['bare-plan', order],
    queryFn: ({ signal }) => askPlan(order, signal),
    staleTime: BARE_FOR_MS,
  })

async function askPlan(order: Order, signal: AbortSignal): Promise<RolloutPlan> {
  const params = { query: { dryRun: '1' as const } }
  const answer = await bodyOf(api.POST('/api/v1/rollouts', { params, body: order, signal }))
  if ('nodes' in answer) return answer
  throw new ApiError(-1, {
    detail: t('The control plane started a rollout where a plan was asked for. Look at Rollouts.'),
  })
}

const PROGRESS_EVERY_MS = 1000

/** The plans that one waits for. */
export const plansUnderWayQuery = queryOptions({
  queryKey: ['plans-under-way'],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET('/api/v1/rollouts/plans-under-way', { signal }))).items,
  refetchInterval: PROGRESS_EVERY_MS,
  staleTime: 0,
  gcTime: 0,
})

export const stopPlanMutation = mutationOptions({
  mutationKey: ['rollouts', 'stop-plan'],
  mutationFn: (id: string) =>
    bodyOf(
      api.POST('/api/v1/rollouts/plans-under-way/{id}/actions/stop', { params: { path: { id } } }),
    ),
})

const PLAN_PAGE_SIZE = 500

/** Of the plan as it was made: the first page came with it, and none of it changes. */
export const planNodesQuery = ({ planDigest, nodes }: RolloutPlan) =>
  infiniteQueryOptions({
    queryKey: ['plan-nodes', planDigest],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PLAN_PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
      const params = { path: { planDigest }, query }
      return bodyOf(api.GET('/api/v1/rollouts/plans/{planDigest}/nodes', { params, signal }))
    },
    initialData: { pages: [nodes], pageParams: [null] },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
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
      detail: t('The control plane answered with a plan, not with a rollout.'),
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
