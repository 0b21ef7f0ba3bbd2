// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseAuditSearch } from '../features/audit/search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./audit-pages.tsx'))

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(pages, 'AuditPage'),
})

export const auditEntryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit/$id',
  component: lazyRouteComponent(pages, 'EntryPage'),
})
