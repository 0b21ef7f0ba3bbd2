// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { VersionSearch } from '../features/releases/version-screen.tsx'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./release-pages.tsx'))

export const releasesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/releases',
  component: lazyRouteComponent(pages, 'ReleasesPage'),
})

export const releaseRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/releases/$name',
  component: lazyRouteComponent(pages, 'ReleasePage'),
})

export const releaseVersionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/releases/$name/versions/$number',
  params: {
    parse: ({ name, number }) => ({ name, number: Number(number) }),
    stringify: ({ name, number }) => ({ name, number: String(number) }),
  },
  validateSearch: ({ show, from }: Record<string, unknown>): VersionSearch => ({
    ...(show === 'changes' && { show }),
    ...(typeof from === 'number' && Number.isInteger(from) && from > 0 && { from }),
  }),
  component: lazyRouteComponent(pages, 'ReleaseVersionPage'),
})
