// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { CertificatesSearch } from '../features/certificates/certificates-screen.tsx'
import { MANAGED_STATES } from '../features/certificates/managed/rules.ts'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const pages = part(() => import('./certificate-pages.tsx'))

export const certificatesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/certificates',
  validateSearch: ({ show, state }: Record<string, unknown>): CertificatesSearch => {
    const known = MANAGED_STATES.find((one) => one === state)
    return {
      ...((show === 'ordered' || show === 'kept') && { show }),
      ...(known !== undefined && { state: known }),
    }
  },
  component: lazyRouteComponent(pages, 'CertificatesPage'),
})

export const certificateRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/certificates/$name',
  component: lazyRouteComponent(pages, 'CertificatePage'),
})

/** How it is ordered, to be changed. */
export const editCertificateRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/certificates/$name/edit',
  component: lazyRouteComponent(pages, 'EditCertificatePage'),
})

/** Beside the certificates, not beneath them, where it could be a certificate's name. */
export const orderCertificateRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/order-certificate',
  validateSearch: ({ name }: Record<string, unknown>): { name?: string } =>
    typeof name === 'string' ? { name } : {},
  component: lazyRouteComponent(pages, 'OrderCertificatePage'),
})
