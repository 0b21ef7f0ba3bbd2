// SPDX-License-Identifier: MIT
// What changed in the range, from the lists that the reader may see, and what of it could not be read.

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Mark } from '../../components/chart/types.ts'
import { useNow } from '../../hooks/use-now.ts'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { type RangeKey, ranges } from '../../lib/time-range.ts'
import {
  deedsQuery,
  isBackTo,
  newestAlertsQuery,
  newestRolloutsQuery,
  savedVersionsQuery,
} from './api.ts'
import { type ChangeKind, changesOf, MOST_CHANGES } from './changes.ts'

type Source = {
  kind: ChangeKind
  /** As in "Not shown: …". */
  what: string
  blocked: string | null
  query: UseQueryResult<unknown>
  isWhole: boolean
}

export function useChanges(session: Session, range: RangeKey, wanted: ChangeKind | undefined) {
  const now = useNow()
  const from = now / 1000 - ranges[range].rangeSeconds
  const blocked = {
    version: whyNot(session, 'configs:read'),
    rollout: whyNot(session, 'rollouts:read'),
    alert: whyNot(session, 'alerts:read'),
    person: whyNot(session, 'audit:read'),
  } satisfies Record<ChangeKind, string | null>
  const versions = useQuery({ ...savedVersionsQuery(range), enabled: blocked.version === null })
  const rollouts = useQuery({ ...newestRolloutsQuery, enabled: blocked.rollout === null })
  const alerts = useQuery({ ...newestAlertsQuery, enabled: blocked.alert === null })
  const deeds = useQuery({ ...deedsQuery(range), enabled: blocked.person === null })

  const all = useMemo(() => {
    const lists = {
      ...{ versions: versions.data?.items ?? [], rollouts: rollouts.data?.items ?? [] },
      ...{ alerts: alerts.data?.items ?? [], deeds: deeds.data?.items ?? [] },
    }
    return changesOf(lists, from)
  }, [versions.data, rollouts.data, alerts.data, deeds.data, from])

  const sources: Source[] = [
    {
      ...{ kind: 'version', what: t('saved versions'), blocked: blocked.version, query: versions },
      isWhole: versions.data?.isWhole ?? true,
    },
    {
      ...{ kind: 'rollout', what: t('rollouts'), blocked: blocked.rollout, query: rollouts },
      isWhole: !rollouts.data || isBackTo(from, rollouts.data, ({ createdAt }) => createdAt),
    },
    {
      ...{ kind: 'alert', what: t('alerts'), blocked: blocked.alert, query: alerts },
      isWhole: !alerts.data || isBackTo(from, alerts.data, ({ pendingSince }) => pendingSince),
    },
    {
      ...{ kind: 'person', what: t('what people did and when rollouts paused'), query: deeds },
      ...{ blocked: blocked.person, isWhole: deeds.data?.isWhole ?? true },
    },
  ]
  const kinds = sources.flatMap((one) => (one.blocked === null ? [one.kind] : []))
  const show = wanted !== undefined && kinds.includes(wanted) ? wanted : undefined
  const ofKind = useMemo(
    () => all.filter(({ kind }) => show === undefined || kind === show),
    [all, show],
  )
  const shown = useMemo(() => ofKind.slice(0, MOST_CHANGES), [ofKind])
  const marks: Mark[] = shown
  return {
    ...{ now, kinds, show, shown, marks },
    isLoading: sources.some(({ query }) => query.isLoading),
    failed: sources.filter(({ query }) => query.isError),
    kept: sources.filter((one) => one.blocked !== null),
    hasOlder:
      ofKind.length > shown.length ||
      sources.some(({ kind, isWhole }) => !isWhole && (show === undefined || kind === show)),
  }
}
export type Changes = ReturnType<typeof useChanges>
