// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const groupsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/groups',
  component: lazyRouteComponent(
    part(() => import('./groups-page.tsx')),
    'GroupsPage',
  ),
})
