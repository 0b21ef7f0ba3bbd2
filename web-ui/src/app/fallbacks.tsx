// SPDX-License-Identifier: MIT
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorBox } from '../components/error-box.tsx'
import { Page } from '../components/page.tsx'
import { SkeletonRows } from '../components/query-states.tsx'
import { Gate } from '../features/session/gate.tsx'

export function NotFoundScreen() {
  return (
    <Page title="Nothing here">
      <div className="panel">
        <EmptyState title="This page does not exist">
          The address may be mistyped, or what it pointed to was removed.{' '}
          <Link to="/">Go to the overview</Link>.
        </EmptyState>
      </div>
    </Page>
  )
}

export function BrokenScreen({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <ErrorBox error={error} onRetry={reset} />
    </Page>
  )
}

/** While the session is read, if that takes long. */
export function StartingScreen() {
  return (
    <Gate title="Starting the console">
      <SkeletonRows rows={3} label="The session" />
    </Gate>
  )
}

/** Where not even the session could be read: there is no frame yet to stand in. */
export function NoStartScreen({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Gate title="The console cannot start">
      <ErrorBox error={error} onRetry={() => void router.invalidate()} />
    </Gate>
  )
}

export function PendingScreen() {
  return <SkeletonRows rows={5} label="This screen" />
}
