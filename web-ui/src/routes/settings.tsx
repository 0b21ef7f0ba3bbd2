// SPDX-License-Identifier: MIT
import { createRoute, Outlet } from '@tanstack/react-router'
import { PasswordForm } from '../features/session/password-form.tsx'
import { SettingsNav } from '../features/settings/settings-nav.tsx'
import { SettingsScreen } from '../features/settings/settings-screen.tsx'
import { TokensScreen, type TokensSearch } from '../features/tokens/tokens-screen.tsx'
import { appRoute } from './app.tsx'

/** What all pages of the settings stand in. */
const settingsFrameRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: function SettingsFrame() {
    const { session } = settingsFrameRoute.useRouteContext()
    return (
      <>
        <SettingsNav session={session} />
        <Outlet />
      </>
    )
  },
})

const overviewRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/',
  component: function Overview() {
    const { session } = overviewRoute.useRouteContext()
    return (
      <SettingsScreen
        session={session}
        passwordForm={(onChanged) => (
          <PasswordForm
            currentLabel="Current password"
            username={session.user.username}
            onChanged={onChanged}
          />
        )}
      />
    )
  },
})

const tokensRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/tokens',
  validateSearch: ({ all }: Record<string, unknown>): TokensSearch =>
    all === true ? { all: true } : {},
  component: function Tokens() {
    const { session } = tokensRoute.useRouteContext()
    const navigate = tokensRoute.useNavigate()
    return (
      <TokensScreen
        session={session}
        search={tokensRoute.useSearch()}
        onSearch={(search) => void navigate({ search, replace: true })}
      />
    )
  },
})

export const settingsRoute = settingsFrameRoute.addChildren([overviewRoute, tokensRoute])
