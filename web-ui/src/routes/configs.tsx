// SPDX-License-Identifier: MIT

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseImportSearch } from '../features/configs/import/search.ts'
import {
  parseCompareSearch,
  parseConfigSearch,
  parsePlaceSearch,
  parseVersionsSearch,
} from '../features/configs/search.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const configsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs',
  component: lazyRouteComponent(() => loadChunk(() => import('./configs-page.tsx')), 'ConfigsPage'),
})

export const configRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name',
  validateSearch: parseConfigSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./config-pages.tsx')), 'ConfigPage'),
})

export const versionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/versions',
  validateSearch: parseVersionsSearch,
  component: lazyRouteComponent(
    () => loadChunk(() => import('./config-pages.tsx')),
    'VersionsPage',
  ),
})

export const versionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/versions/$number',
  params: {
    parse: ({ name, number }) => ({ name, number: Number(number) }),
    stringify: ({ name, number }) => ({ name, number: String(number) }),
  },
  validateSearch: parsePlaceSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./config-pages.tsx')), 'VersionPage'),
})

export const compareRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/configs/$name/compare',
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./config-pages.tsx')), 'ComparePage'),
})

/** Beside the configs, not beneath them, where it could be a config's name. */
export const importRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/import',
  validateSearch: parseImportSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./import-page.tsx')), 'ImportPage'),
})
