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
  /** "You may not …". */
  what: string
  children: React.ReactNode
}

export function IfAllowed({ session, permission, title, what, children }: Props) {
  const blocked = whyNot(session, permission)
  if (blocked === null) return children
  return (
    <Page title={title}>
      <Notice tone="info" title={`You may not ${what}`}>
        {blocked}
      </Notice>
    </Page>
  )
}
