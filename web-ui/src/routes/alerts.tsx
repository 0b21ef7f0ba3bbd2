// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseAlertsSearch } from '../features/alerts/rules.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const alertsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/alerts',
  validateSearch: parseAlertsSearch,
  component: lazyRouteComponent(
    part(() => import('./alerts-page.tsx')),
    'AlertsPage',
  ),
})
