// SPDX-License-Identifier: MIT
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import type { Node } from '../../../lib/api-types.ts'

type CordonNoticeProps = { name: string; cordon: NonNullable<Node['cordon']> }

export function CordonNotice({ name, cordon }: CordonNoticeProps) {
  return (
    <Notice tone="warn" title={`${name} is cordoned`}>
      By {cordon.by}, <TimeAgo at={cordon.at} />: “{cordon.reason}” Rollouts skip it, and it keeps
      serving what it has.
    </Notice>
  )
}
