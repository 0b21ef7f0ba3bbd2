// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseRequestsSearch } from '../features/sites/requests/search.ts'
import { parseSiteSearch, parseSitesSearch } from '../features/sites/search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./sites-pages.tsx'))

export const sitesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sites',
  validateSearch: parseSitesSearch,
  component: lazyRouteComponent(pages, 'SitesPage'),
})

export const requestsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sites/requests',
  validateSearch: parseRequestsSearch,
  component: lazyRouteComponent(pages, 'RequestsPage'),
})

export const siteRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sites/$config/$host',
  validateSearch: parseSiteSearch,
  component: lazyRouteComponent(pages, 'SitePage'),
})
