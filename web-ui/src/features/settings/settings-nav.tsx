// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { TabBar } from '../../components/tab-bar.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'

/** The pages of the settings. One that needs a permission is shown to who has it. */
const pages = [
  { to: '/settings', label: t('Overview'), permission: null },
  { to: '/settings/security', label: t('Security'), permission: null },
  { to: '/settings/users', label: t('Users'), permission: 'users:read' },
  { to: '/settings/tokens', label: t('Tokens'), permission: 'tokens:own' },
  { to: '/settings/rollout-rules', label: t('Rollout rules'), permission: null },
  { to: '/settings/neighbours', label: t('Neighbours'), permission: null },
  { to: '/settings/alert-rules', label: t('Alert rules'), permission: 'alerts:read' },
  { to: '/settings/webhooks', label: t('Webhooks'), permission: 'webhooks:read' },
  {
    to: '/settings/certificate-authorities',
    label: t('Certificate authorities'),
    permission: 'certificates:read',
  },
  { to: '/settings/dns-webhooks', label: t('DNS webhooks'), permission: 'certificates:read' },
  { to: '/settings/backups', label: t('Backups'), permission: 'backups:read' },
  { to: '/settings/single-sign-on', label: t('Single sign-on'), permission: null },
] as const satisfies {
  to: string
  label: string
  permission: string | null
}[]

export const settingsPagesFor = (session: Session) =>
  pages.filter(({ permission }) => permission === null || may(session, permission))

export function SettingsNav({ session }: { session: Session }) {
  return (
    <TabBar label={t('Settings')}>
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
