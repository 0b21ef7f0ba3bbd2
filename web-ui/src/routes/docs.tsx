// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./docs-pages.tsx'))

export const docsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/docs',
  component: lazyRouteComponent(pages, 'DocsPage'),
})

export const docRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/docs/$page',
  component: lazyRouteComponent(pages, 'DocPage'),
})
