// SPDX-License-Identifier: MIT
// In the place of a screen that somebody may not see: what for is known here, so the control plane is not asked.
import type { Session } from '../lib/api-types.ts'
import { whyNot } from '../lib/permissions.ts'
import { Notice } from './notice.tsx'
import { Page } from './page.tsx'

type Props = {
  session: Session
  permission: string
  title: string
  /** A sentence that says what may not be done. */
  refusal: string
  children: React.ReactNode
}

export function IfAllowed({ session, permission, title, refusal, children }: Props) {
  const blocked = whyNot(session, permission)
  if (blocked === null) return children
  return (
    <Page title={title}>
      <Notice tone="info" title={refusal}>
        {blocked}
      </Notice>
    </Page>
  )
}
