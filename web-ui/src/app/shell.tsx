// SPDX-License-Identifier: MIT
import { Link, Outlet } from '@tanstack/react-router'
import { Lamp } from '../components/lamp.tsx'
import { RecoveryNotice } from '../features/backups/recovery-notice.tsx'
import type { Session } from '../lib/api-types.ts'
import { may } from '../lib/permissions.ts'
import { AccountMenu } from './account-menu.tsx'
import { FarmLine } from './farm-line.tsx'
import { LiveProvider } from './live-provider.tsx'
import { LiveSign } from './live-sign.tsx'
import classes from './shell.module.css'

const places = [
  { to: '/', label: 'Farm', exact: true },
  { to: '/configs', label: 'Configs', exact: false },
  { to: '/certificates', label: 'Certificates', exact: false, permission: 'certificates:read' },
  { to: '/rollouts', label: 'Rollouts', exact: false },
  { to: '/audit', label: 'Audit', exact: false, permission: 'audit:read' },
  { to: '/settings', label: 'Settings', exact: false },
] as const

export function Shell({ session, onSignedOut }: { session: Session; onSignedOut: () => void }) {
  const shown = places.filter((place) => !('permission' in place) || may(session, place.permission))
  return (
    <LiveProvider>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link to="/" className={classes.brand} aria-label="Farmstead: the farm">
            <Lamp size={22} />
            <span>Farmstead</span>
          </Link>
          <nav aria-label="Places" className={classes.nav}>
            {shown.map((place) => (
              <Link
                key={place.to}
                to={place.to}
                activeOptions={{ exact: place.exact, includeSearch: false }}
              >
                {place.label}
              </Link>
            ))}
          </nav>
          <div className={classes.end}>
            <LiveSign />
            <AccountMenu username={session.user.username} onSignedOut={onSignedOut} />
          </div>
        </div>
        <FarmLine />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <RecoveryNotice session={session} />
        <Outlet />
      </main>
    </LiveProvider>
  )
}
