// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

export const enrolmentRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/enrolment',
  validateSearch: ({ node }: Record<string, unknown>): { node?: string } =>
    typeof node === 'string' ? { node } : {},
  component: lazyRouteComponent(
    part(() => import('./enrolment-page.tsx')),
    'EnrolmentPage',
  ),
})
