// SPDX-License-Identifier: MIT

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseNodeSearch } from '../features/nodes/node-search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const nodeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/nodes/$id',
  validateSearch: parseNodeSearch,
  component: lazyRouteComponent(
    part(() => import('./node-page.tsx')),
    'NodePage',
  ),
})
