// SPDX-License-Identifier: MIT
import { useNow } from '../hooks/use-now.ts'
import { formatAgo, formatExact } from '../lib/time.ts'

export function TimeAgo({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatExact(at)} className="nowrap">
      {formatAgo(at, now)}
    </time>
  )
}
