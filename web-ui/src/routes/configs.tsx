// SPDX-License-Identifier: MIT

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseImportSearch } from '../features/configs/import/search.ts'
import {
  parseCompareSearch,
  parseConfigSearch,
  parsePlaceSearch,
  parseVersionsSearch,
} from '../features/configs/search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./config-pages.tsx'))

export const configsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs',
  component: lazyRouteComponent(
    part(() => import('./configs-page.tsx')),
    'ConfigsPage',
  ),
})

export const configRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name',
  validateSearch: parseConfigSearch,
  component: lazyRouteComponent(pages, 'ConfigPage'),
})

export const versionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/versions',
  validateSearch: parseVersionsSearch,
  component: lazyRouteComponent(pages, 'VersionsPage'),
})

export const versionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/versions/$number',
  params: {
    parse: ({ name, number }) => ({ name, number: Number(number) }),
    stringify: ({ name, number }) => ({ name, number: String(number) }),
  },
  validateSearch: parsePlaceSearch,
  component: lazyRouteComponent(pages, 'VersionPage'),
})

export const compareRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/compare',
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(pages, 'ComparePage'),
})

/** Beside the configs, not beneath them, where it could be a config's name. */
export const importRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/import',
  validateSearch: parseImportSearch,
  component: lazyRouteComponent(
    part(() => import('./import-page.tsx')),
    'ImportPage',
  ),
})
