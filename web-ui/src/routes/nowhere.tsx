// SPDX-License-Identifier: MIT
import { createRoute } from '@tanstack/react-router'
import { NotFoundScreen } from '../app/fallbacks.tsx'
import { appRoute } from './app.tsx'

/** Every other address, within the frame, so that the way on is at hand. */
export const nowhereRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: NotFoundScreen,
})
