// SPDX-License-Identifier: MIT

import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { OwnSessionsPanel } from './own-sessions-panel.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'

export function SecurityScreen({ session }: { session: Session }) {
  return (
    <Page width="text" title={t('Security')}>
      <PasswordPanel username={session.user.username} />
      <SecondFactorPanel session={session} />
      <OwnSessionsPanel />
    </Page>
  )
}

function PasswordPanel({ username }: { username: string }) {
  const [changed, setChanged] = useState(false)
  return (
    <section className="panel" aria-labelledby="password-heading">
      <div className="panel-head">
        <h2 id="password-heading">{t('Change password')}</h2>
      </div>
      <div className="panel-body stack">
        {changed && (
          <Notice tone="good" live title={t('Password changed')}>
            {t('Your sessions in other browsers have ended.')}
          </Notice>
        )}
        <PasswordForm
          currentLabel={t('Current password')}
          username={username}
          onChanged={() => setChanged(true)}
        />
      </div>
    </section>
  )
}
