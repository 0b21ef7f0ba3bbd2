// SPDX-License-Identifier: MIT
import { Page } from '../../components/page.tsx'
import type { Session } from '../../lib/api-types.ts'
import { OwnSessionsPanel } from './own-sessions-panel.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'

export function SecurityScreen({ session }: { session: Session }) {
  return (
    <Page title="Security">
      <SecondFactorPanel session={session} />
      <OwnSessionsPanel />
    </Page>
  )
}
