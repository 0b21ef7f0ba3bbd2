// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadChunk } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = () => loadChunk(() => import('./certificate-pages.tsx'))

export const certificatesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/certificates',
  component: lazyRouteComponent(pages, 'CertificatesPage'),
})

export const certificateRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/certificates/$name',
  component: lazyRouteComponent(pages, 'CertificatePage'),
})
