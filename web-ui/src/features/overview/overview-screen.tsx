// SPDX-License-Identifier: MIT
// The first page: is all well, and if not, where.

import { SegmentedControl } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { PlainListenerNotice } from '../../components/plain-listener-notice.tsx'
import { QueryStates, SkeletonRows } from '../../components/query-states.tsx'
import { useInPieces } from '../../hooks/use-in-pieces.ts'
import { t } from '../../languages/t.ts'
import type { FarmSummary, Session } from '../../lib/api-types.ts'
import { part } from '../../lib/load-chunk.ts'
import { may } from '../../lib/permissions.ts'
import { isRange, type RangeKey, ranges } from '../../lib/time-range.ts'
import { farmComparedQuery, farmMeasuredQuery, objectivesQuery } from './api.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { ConcernsPanel } from './concerns-panel.tsx'
import { FirstStepsPanel } from './first-steps-panel.tsx'
import { Glance } from './glance.tsx'
import { glanceOf, judgeErrors, judgeLatency, MEDIAN, objectivesOf, P99 } from './measured.ts'
import classes from './overview.module.css'
import { DEFAULT_RANGE, type OverviewSearch } from './search.ts'
import { TimeParts } from './time-parts.tsx'
import { useChanges } from './use-changes.ts'
import { VersionsPanel } from './versions-panel.tsx'

const Charts = lazy(part(() => import('./charts.tsx').then((m) => ({ default: m.Charts }))))

export type OverviewScreenProps = {
  session: Session
  search: OverviewSearch
  onSearch: (search: OverviewSearch) => void
  onZoom: (fromSeconds: number, toSeconds: number) => void
  farm: UseQueryResult<FarmSummary>
  /** What other parts of the console show of theirs. */
  rollouts: React.ReactNode
  map: React.ReactNode
}

export function OverviewScreen(props: OverviewScreenProps) {
  const { session, search, onSearch, onZoom, farm, rollouts, map } = props
  const range = search.range ?? DEFAULT_RANGE
  const measured = useMeasured(session, range)
  const changes = useChanges(session, range, search.show)
  const isEmpty = farm.data?.nodes.total === 0
  return (
    <Page
      title={t('Overview')}
      actions={
        !isEmpty && (
          <SegmentedControl
            aria-label={t('Time range')}
            value={range}
            onChange={(next) => isRange(next) && onSearch({ ...search, range: next })}
            data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
          />
        )
      }
    >
      <PlainListenerNotice />
      {isEmpty ? (
        <>
          <NoNodes session={session} />
          <FirstStepsPanel session={session} farm={farm.data} />
        </>
      ) : (
        <>
          <ConcernsPanel session={session} farm={farm} missed={measured.missed} />
          <FirstStepsPanel session={session} farm={farm.data} />
          {may(session, 'metrics:read') && (
            <QueryStates query={measured.query} what={t('The measurements')} skeletonRows={8}>
              {() =>
                measured.glance && (
                  <OfRange range={range} isOld={measured.isOld}>
                    <Glance {...measured} glance={measured.glance} range={range} />
                  </OfRange>
                )
              }
            </QueryStates>
          )}
          <div className={classes.columns}>
            {rollouts}
            <VersionsPanel session={session} farm={farm} />
            {measured.glance && (
              <div className={classes.ofRange} data-old={measured.isOld || undefined}>
                <TimeParts parts={measured.glance.parts} />
              </div>
            )}
          </div>
          {map}
          {measured.glance && (
            <Suspense fallback={<ChartsFallback />}>
              <div className={classes.ofRange} data-old={measured.isOld || undefined}>
                <Charts steps={measured.glance.steps} marks={changes.marks} onZoom={onZoom} />
              </div>
            </Suspense>
          )}
          <ChangesPanel changes={changes} onShow={(show) => onSearch({ ...search, show })} />
        </>
      )}
    </Page>
  )
}

type OfRangeProps = { range: RangeKey; isOld: boolean; children: React.ReactNode }

/** Until another range is read, what stands there is of the one before, and says so. */
const OfRange = ({ range, isOld, children }: OfRangeProps) => (
  <div aria-busy={isOld}>
    <p role="status" className={isOld ? classes.loading : 'visually-hidden'}>
      {isOld &&
        t('Reading the last {label}. Until then you see the range before.', {
          label: ranges[range].label,
        })}
    </p>
    <div className={classes.ofRange} data-old={isOld || undefined}>
      {children}
    </div>
  </div>
)

/** What the farm did in the range, beside what it is to keep. */
function useMeasured(session: Session, range: RangeKey) {
  const isAllowed = may(session, 'metrics:read')
  const query = useQuery({ ...farmMeasuredQuery(range), enabled: isAllowed })
  const rules = useQuery({ ...objectivesQuery, enabled: may(session, 'alerts:read') })
  const objectives = objectivesOf(rules.data?.items ?? [])
  const quantiles = [...new Set([MEDIAN, P99, objectives.latency?.ratio ?? P99])]
  const compared = useQuery({
    ...farmComparedQuery(range, quantiles),
    // Another objective is another question.
    enabled: isAllowed && !rules.isLoading,
  })
  const drawn = useInPieces(query)
  const glance = useMemo(() => (drawn.data ? glanceOf(drawn.data) : null), [drawn.data])
  const isCompared = compared.data !== undefined && !compared.isPlaceholderData
  const total = compared.data?.stages.find(({ stage }) => stage === 'total')
  const valueAt = (q: number) => total?.a.quantiles[quantiles.indexOf(q)] ?? null
  const latency = judgeLatency(objectives.latency, valueAt(objectives.latency?.ratio ?? P99))
  const errors = judgeErrors(objectives.errors, glance?.now.errorRatio ?? null)
  return {
    query: drawn,
    glance,
    p50: { seconds: valueAt(MEDIAN), ratio: total?.ratios[0] ?? null },
    p99: { seconds: valueAt(P99), ratio: total?.ratios[1] ?? null },
    requestsBefore: total?.b.count ?? 0,
    isCompared,
    /** It is of another range than the one that is chosen. */
    isOld: query.isPlaceholderData || compared.isPlaceholderData,
    judged: { latency, errors },
    missed: [latency, errors].flatMap((one) => (one && !one.isMet ? [one.words] : [])),
  }
}
export type Measured = ReturnType<typeof useMeasured>

function NoNodes({ session }: { session: Session }) {
  return (
    <div className="panel">
      <EmptyState
        title={t('No node has joined yet')}
        action={
          may(session, 'nodes:enrol') && <ButtonLink to="/enrolment">{t('Add a node')}</ButtonLink>
        }
      >
        {t(
          'Make a one-time token, run the command it gives you on the machine that will serve, and the node appears here.',
        )}
      </EmptyState>
    </div>
  )
}

function ChartsFallback() {
  return (
    <div className="panel">
      <SkeletonRows rows={6} label={t('The charts')} />
    </div>
  )
}
