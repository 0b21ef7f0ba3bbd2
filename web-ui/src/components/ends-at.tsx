// SPDX-License-Identifier: MIT

import { useNow } from '../hooks/use-now.ts'
import { t } from '../languages/t.ts'
import { formatAgo, formatDateTime, formatDuration } from '../lib/time.ts'

/** "in 12 days", and once it is over how long ago. */
export function EndsAt({ at }: { at: string }) {
  const now = useNow()
  const seconds = (Date.parse(at) - now) / 1000
  return (
    <time dateTime={at} title={formatDateTime(at)} className="nowrap">
      {seconds > 0 ? t('in {seconds}', { seconds: formatDuration(seconds) }) : formatAgo(at, now)}
    </time>
  )
}
