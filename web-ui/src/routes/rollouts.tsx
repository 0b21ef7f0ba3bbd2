// SPDX-License-Identifier: MIT

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseRolloutsSearch } from '../features/rollouts/search.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const rolloutsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts',
  validateSearch: parseRolloutsSearch,
  component: lazyRouteComponent(
    () => loadChunk(() => import('./rollouts-page.tsx')),
    'RolloutsPage',
  ),
})

/** again: the rollout whose order is made anew. */
export type PlanSearch = { config: string; version: number; selector?: string; again?: string }

export const planRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts/new',
  validateSearch: (search: Record<string, unknown>): PlanSearch => ({
    config: String(search.config ?? ''),
    // 0: there is none of that number, and no other is planned in its place.
    version: Number.isSafeInteger(Number(search.version)) ? Number(search.version) : 0,
    ...(typeof search.selector === 'string' &&
      search.selector !== '' && { selector: search.selector }),
    ...(typeof search.again === 'string' && { again: search.again }),
  }),
  component: lazyRouteComponent(() => loadChunk(() => import('./rollout-pages.tsx')), 'PlanPage'),
})

export const rolloutRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts/$id',
  component: lazyRouteComponent(
    () => loadChunk(() => import('./rollout-pages.tsx')),
    'RolloutPage',
  ),
})
