// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseAuditSearch } from '../features/audit/search.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./audit-pages.tsx')), 'AuditPage'),
})

export const auditEntryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit/$id',
  component: lazyRouteComponent(() => loadChunk(() => import('./audit-pages.tsx')), 'EntryPage'),
})
