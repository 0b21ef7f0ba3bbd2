// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = () => loadChunk(() => import('./docs-pages.tsx'))

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
