// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import { TabBar } from '../../components/tab-bar.tsx'
import type { Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'

/** The pages of the settings. One that needs a permission is shown to who has it. */
const pages = [
  { to: '/settings', label: 'Overview', permission: null },
  { to: '/settings/security', label: 'Security', permission: null },
  { to: '/settings/users', label: 'Users', permission: 'users:read' },
  { to: '/settings/tokens', label: 'Tokens', permission: 'tokens:own' },
  { to: '/settings/rollout-rules', label: 'Rollout rules', permission: null },
  { to: '/settings/neighbours', label: 'Neighbours', permission: null },
  { to: '/settings/alert-rules', label: 'Alert rules', permission: 'alerts:read' },
  { to: '/settings/webhooks', label: 'Webhooks', permission: 'webhooks:read' },
  {
    to: '/settings/certificate-authorities',
    label: 'Certificate authorities',
    permission: 'certificates:read',
  },
  { to: '/settings/dns-webhooks', label: 'DNS webhooks', permission: 'certificates:read' },
  { to: '/settings/backups', label: 'Backups', permission: 'backups:read' },
  { to: '/settings/single-sign-on', label: 'Single sign-on', permission: null },
] as const satisfies {
  to: string
  label: string
  permission: string | null
}[]

export const settingsPagesFor = (session: Session) =>
  pages.filter(({ permission }) => permission === null || may(session, permission))

export function SettingsNav({ session }: { session: Session }) {
  return (
    <TabBar label="Settings">
      {settingsPagesFor(session).map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          // A rule's own page, a webhook's and the like are below the page that lists them.
          activeOptions={{ exact: to === '/settings', includeSearch: false }}
        >
          {label}
        </Link>
      ))}
    </TabBar>
  )
}
