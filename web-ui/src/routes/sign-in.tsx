// SPDX-License-Identifier: MIT
import { createRoute, redirect } from '@tanstack/react-router'
import { OidcSignIn } from '../features/oidc/oidc-sign-in.tsx'
import { type OidcProblem, problemIn } from '../features/oidc/rules.ts'
import { sessionQuery } from '../features/session/api.ts'
import { safeNext } from '../features/session/rules.ts'
import { SignInScreen } from '../features/session/sign-in-screen.tsx'
import { baseUrl } from '../lib/api-client.ts'
import { speakAs } from '../lib/speaking-as.ts'
import { rootRoute } from './root.tsx'

type SignInSearch = { next?: string; problem?: OidcProblem | undefined }

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => ({
    ...(typeof search.next === 'string' && { next: search.next }),
    ...problemIn(search),
  }),
  // Back from the console asks the provider's answer once more, whose flow has ended in a session.
  beforeLoad: async ({ context, search: { problem } }) => {
    if (problem !== 'oidc_flow_lost') return
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch(() => null)
    if (session !== null) throw redirect({ to: '/', replace: true })
  },
  component: function SignIn() {
    const { next, problem } = signInRoute.useSearch()
    const { queryClient } = signInRoute.useRouteContext()
    const navigate = signInRoute.useNavigate()
    return (
      <SignInScreen
        returning={next !== undefined}
        onSignedIn={(session) => {
          queryClient.clear()
          speakAs(null)
          queryClient.setQueryData(sessionQuery.queryKey, session)
          const href = safeNext(next)
          // The API’s reader is a document of its own.
          if (href.startsWith('/api/')) window.location.replace(new URL(href.slice(1), baseUrl))
          else void navigate({ href, replace: true })
        }}
      >
        <OidcSignIn next={safeNext(next)} problem={problem} />
      </SignInScreen>
    )
  },
})
