// SPDX-License-Identifier: MIT

import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Node } from '../../../lib/api-types.ts'

type CordonNoticeProps = { name: string; cordon: NonNullable<Node['cordon']> }

export function CordonNotice({ name, cordon }: CordonNoticeProps) {
  return (
    <Notice tone="warn" title={t('{name} is cordoned', { name })}>
      <T
        text="By {by}, {at}: “{reason}” Rollouts skip it, and it keeps serving what it has."
        by={cordon.by}
        at={<TimeAgo at={cordon.at} />}
        reason={cordon.reason}
      />
    </Notice>
  )
}
