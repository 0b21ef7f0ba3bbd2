// SPDX-License-Identifier: MIT
import { createRoute } from '@tanstack/react-router'
import { sessionQuery } from '../features/session/api.ts'
import { SetupScreen } from '../features/session/setup-screen.tsx'
import { rootRoute } from './root.tsx'

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: function Setup() {
    const { queryClient } = setupRoute.useRouteContext()
    const navigate = setupRoute.useNavigate()
    return (
      <SetupScreen
        token={window.location.hash.slice(1)}
        onSignedIn={(session) => {
          queryClient.clear()
          queryClient.setQueryData(sessionQuery.queryKey, session)
          void navigate({ to: '/', replace: true })
        }}
      />
    )
  },
})
