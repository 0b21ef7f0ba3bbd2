// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Session } from '../lib/api-types.ts'
import { type About, happenedQuery, happenings, type See } from '../lib/happened.ts'
import { may } from '../lib/permissions.ts'
import { spanOf, type TimeSearch } from '../lib/time-range.ts'

/** Rollouts and alerts of the time that a chart shows, as far as the reader may see them. `about` and `time` keep their identity. */
export function useHappened(session: Session, time: TimeSearch, about?: About) {
  const see: See = { rollouts: may(session, 'rollouts:read'), alerts: may(session, 'alerts:read') }
  const happened = useQuery(happenedQuery(time, see))
  const marks = useMemo(
    () => (happened.data ? happenings(happened.data, spanOf(time, Date.now() / 1000), about) : []),
    [happened.data, time, about],
  )
  return { happened, marks, see }
}
