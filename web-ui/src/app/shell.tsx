// SPDX-License-Identifier: MIT

import { Outlet } from '@tanstack/react-router'
import { RecoveryNotice } from '../features/backups/recovery-notice.tsx'
import { t } from '../languages/t.ts'
import type { Session } from '../lib/api-types.ts'
import { AccountMenu } from './account-menu.tsx'
import { FarmLine } from './farm-line.tsx'
import { Finder } from './finder.tsx'
import { LiveProvider } from './live-provider.tsx'
import { LiveSign } from './live-sign.tsx'
import { useNotify } from './notify/use-notify.ts'
import { Places } from './places.tsx'
import classes from './shell.module.css'
import { usePartsAhead } from './use-parts-ahead.ts'

export function Shell({ session, onSignedOut }: { session: Session; onSignedOut: () => void }) {
  useNotify(session)
  usePartsAhead()
  return (
    <LiveProvider>
      <a className={classes.skip} href="#main">
        {t('Skip to the content')}
      </a>
      <div className={classes.frame}>
        <Places session={session} />
        <header className={classes.header}>
          <FarmLine />
          <div className={classes.end}>
            <Finder session={session} />
            <LiveSign />
            <AccountMenu username={session.user.username} onSignedOut={onSignedOut} />
          </div>
        </header>
        <main id="main" tabIndex={-1} className={classes.main}>
          <RecoveryNotice session={session} />
          <Outlet />
        </main>
      </div>
    </LiveProvider>
  )
}
