// SPDX-License-Identifier: MIT
import { createRoute, Outlet } from '@tanstack/react-router'
import { PasswordForm } from '../features/session/password-form.tsx'
import { SecurityScreen } from '../features/session/security-screen.tsx'
import { SettingsNav } from '../features/settings/settings-nav.tsx'
import { SettingsScreen } from '../features/settings/settings-screen.tsx'
import { UsersScreen } from '../features/users/users-screen.tsx'
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

const securityRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/security',
  component: function Security() {
    const { session } = securityRoute.useRouteContext()
    return <SecurityScreen session={session} />
  },
})

const usersRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/users',
  component: function Users() {
    const { session } = usersRoute.useRouteContext()
    return <UsersScreen session={session} />
  },
})

export const settingsRoute = settingsFrameRoute.addChildren([
  overviewRoute,
  securityRoute,
  usersRoute,
])
