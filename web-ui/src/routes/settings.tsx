// SPDX-License-Identifier: MIT
import { createRoute } from '@tanstack/react-router'
import { PasswordForm } from '../features/session/password-form.tsx'
import { SettingsScreen } from '../features/settings/settings-screen.tsx'
import { appRoute } from './app.tsx'

export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: function Settings() {
    const { session } = settingsRoute.useRouteContext()
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
