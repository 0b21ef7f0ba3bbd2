// SPDX-License-Identifier: MIT
import { createRoute, redirect } from '@tanstack/react-router'
import { NoStartScreen, StartingScreen } from '../app/fallbacks.tsx'
import { Shell } from '../app/shell.tsx'
import { sessionQuery } from '../features/session/api.ts'
import { forgetTextsOfOthers } from '../lib/kept-texts.ts'
import { speakAs } from '../lib/speaking-as.ts'
import { rootRoute } from './root.tsx'

/** Everything behind the sign-in. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) {
      const next = location.href === '/' ? undefined : location.href
      throw redirect({ to: '/sign-in', search: next === undefined ? {} : { next }, replace: true })
    }
    if (session.passwordChangeRequired) {
      throw redirect({ to: '/change-password', search: { next: location.href }, replace: true })
    }
    // Somebody else signed in in another tab: nothing on this page is theirs.
    if (speakAs(session.user.id)) window.location.reload()
    // However one came in: by password here, by the provider, or from another tab.
    forgetTextsOfOthers(session.user.id)
    return { session }
  },
  pendingComponent: StartingScreen,
  errorComponent: NoStartScreen,
  component: function App() {
    const { session, queryClient } = appRoute.useRouteContext()
    const navigate = appRoute.useNavigate()
    return (
      <Shell
        session={session}
        onSignedOut={() => {
          queryClient.clear()
          forgetTextsOfOthers(null)
          speakAs(null)
          void navigate({ to: '/sign-in', search: {} })
        }}
      />
    )
  },
})
