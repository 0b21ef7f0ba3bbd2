// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { nodeBlockQuery } from '../features/nodes/api.ts'
import { listOf, parseFarmSearch } from '../features/nodes/farm-search.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const nodesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/nodes',
  validateSearch: parseFarmSearch,
  loaderDeps: ({ search }) => listOf(search),
  // What the page waits for is asked for first, while the page is not yet drawn. A filter that is typed asks for itself.
  loader: ({ context: { queryClient }, deps, cause }) => {
    if (cause !== 'stay') void queryClient.prefetchQuery(nodeBlockQuery(deps, 0))
  },
  component: lazyRouteComponent(
    part(() => import('./nodes-page.tsx')),
    'NodesPage',
  ),
})
