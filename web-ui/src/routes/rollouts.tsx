// SPDX-License-Identifier: MIT

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseRolloutsSearch } from '../features/rollouts/search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./rollout-pages.tsx'))

export const rolloutsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts',
  validateSearch: parseRolloutsSearch,
  component: lazyRouteComponent(
    part(() => import('./rollouts-page.tsx')),
    'RolloutsPage',
  ),
})

/**
 * Without a version one is chosen first. backFrom: the version it leads back from. again: the rollout whose order is made anew.
 */
export type PlanSearch = {
  config?: string | undefined
  version?: number | undefined
  /** Versions of releases by name. */
  releases?: Record<string, number> | undefined
  selector?: string | undefined
  backFrom?: number | undefined
  again?: string | undefined
}

const versionOf = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

function releasesOf(value: unknown): Record<string, number> | undefined {
  const known = Object.entries(Object(value)).flatMap(([name, version]): [string, number][] => {
    const number = versionOf(version)
    return number === undefined ? [] : [[name, number]]
  })
  return known.length > 0 ? Object.fromEntries(known) : undefined
}

const wordOf = (value: unknown): string | undefined => String(value ?? '') || undefined

/** What is no such thing is undefined, not left out: the router would keep what the address says. */
const parsePlanSearch = (search: Record<string, unknown>): PlanSearch => ({
  config: wordOf(search.config),
  version: versionOf(search.version),
  releases: releasesOf(search.releases),
  selector: wordOf(search.selector),
  backFrom: versionOf(search.backFrom),
  again: wordOf(search.again),
})

export const planRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts/new',
  validateSearch: parsePlanSearch,
  component: lazyRouteComponent(pages, 'PlanPage'),
})

export const rolloutRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/rollouts/$id',
  component: lazyRouteComponent(pages, 'RolloutPage'),
})
