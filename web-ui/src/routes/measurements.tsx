// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import {
  parseCompareSearch,
  parseMeasurementsSearch,
  parseTopSearch,
} from '../features/measurements/search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./measurements-pages.tsx'))

export const measurementsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/measurements',
  validateSearch: parseMeasurementsSearch,
  component: lazyRouteComponent(pages, 'MeasurementsPage'),
})

export const compareMeasurementsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/measurements/compare',
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(pages, 'CompareMeasurementsPage'),
})

export const topNodesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/measurements/top',
  validateSearch: parseTopSearch,
  component: lazyRouteComponent(pages, 'TopNodesPage'),
})
