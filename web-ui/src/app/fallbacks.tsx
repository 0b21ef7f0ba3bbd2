// SPDX-License-Identifier: MIT

import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorBox } from '../components/error-box.tsx'
import { Page } from '../components/page.tsx'
import { SkeletonRows } from '../components/query-states.tsx'
import { Gate } from '../features/session/gate.tsx'
import { t } from '../languages/t.ts'
import { T } from '../languages/text.tsx'

export function NotFoundScreen() {
  return (
    <Page title={t('Nothing here')}>
      <div className="panel">
        <EmptyState title={t('This page does not exist')}>
          <T
            text="The address may be mistyped, or what it pointed to was removed. <link>Go to the overview</link>."
            link={<Link to="/" />}
          />
        </EmptyState>
      </div>
    </Page>
  )
}

export function BrokenScreen({ error, reset }: ErrorComponentProps) {
  return (
    <Page title={t('This page could not be shown')}>
      <ErrorBox error={error} onRetry={reset} />
    </Page>
  )
}

/** While the session is read, if that takes long. */
export function StartingScreen() {
  return (
    <Gate title={t('Starting the console')}>
      <SkeletonRows rows={3} label={t('The session')} />
    </Gate>
  )
}

/** Where not even the session could be read: there is no frame yet to stand in. */
export function NoStartScreen({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Gate title={t('The console cannot start')}>
      <ErrorBox error={error} onRetry={() => void router.invalidate()} />
    </Gate>
  )
}

export function PendingScreen() {
  return <SkeletonRows rows={5} label={t('This screen')} />
}
