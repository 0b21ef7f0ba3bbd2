// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseAlertsSearch } from '../features/alerts/rules.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const alertsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/alerts',
  validateSearch: parseAlertsSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./alerts-page.tsx')), 'AlertsPage'),
})
