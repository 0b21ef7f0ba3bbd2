// SPDX-License-Identifier: MIT
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorBox } from '../components/error-box.tsx'
import { Page } from '../components/page.tsx'
import { SkeletonRows } from '../components/query-states.tsx'

export function NotFoundScreen() {
  return (
    <Page title="Nothing here">
      <div className="panel">
        <EmptyState title="This address leads nowhere">
          It may be mistyped, or what it named is gone. <Link to="/">Go to the farm</Link>.
        </EmptyState>
      </div>
    </Page>
  )
}

export function BrokenScreen({ error, reset }: ErrorComponentProps) {
  return (
    <div className="panel-body">
      <ErrorBox what="This screen" error={error} onRetry={reset} />
    </div>
  )
}

export function PendingScreen() {
  return <SkeletonRows rows={5} label="This screen" />
}
