// SPDX-License-Identifier: MIT
import { createRoute, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../features/session/api.ts'
import { ChangePasswordScreen } from '../features/session/change-password-screen.tsx'
import { safeNext } from '../features/session/rules.ts'
import { rootRoute } from './root.tsx'

export const changePasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/change-password',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === 'string' ? { next: search.next } : {},
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search, replace: true })
    if (!session.passwordChangeRequired) throw redirect({ href: safeNext(search.next) })
    return { session }
  },
  component: function ChangePassword() {
    const { next } = changePasswordRoute.useSearch()
    const { session, queryClient } = changePasswordRoute.useRouteContext()
    const navigate = changePasswordRoute.useNavigate()
    return (
      <ChangePasswordScreen
        session={session}
        onChanged={() => {
          queryClient.removeQueries(sessionQuery)
          void navigate({ href: safeNext(next), replace: true })
        }}
      />
    )
  },
})
