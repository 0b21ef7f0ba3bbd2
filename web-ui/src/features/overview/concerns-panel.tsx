// SPDX-License-Identifier: MIT

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { SkeletonRows } from '../../components/query-states.tsx'
import { StatePanel } from '../../components/state-panel.tsx'
import { StatusMark, type Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { FarmSummary, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { healthQuery } from '../../lib/system-query.ts'
import { endingCertificatesQuery, firingQuery, heldRolloutsQuery } from './api.ts'
import { type Concern, concernsOf, silencedIn } from './concerns.ts'
import classes from './overview.module.css'
import { TargetLink } from './target-link.tsx'

type Props = { session: Session; farm: UseQueryResult<FarmSummary>; missed: readonly string[] }

/** All is well only when everything was asked and said so. */
export function ConcernsPanel({ session, farm, missed }: Props) {
  const health = useQuery(healthQuery)
  const alerts = useQuery({ ...firingQuery, enabled: may(session, 'alerts:read') })
  const certificates = useQuery({
    ...endingCertificatesQuery,
    enabled: may(session, 'certificates:read'),
  })
  const { underWay = 0, waiting = 0, named = [] } = farm.data?.rollouts ?? {}
  const enabled = underWay + waiting > named.length
  const paused = useQuery({ ...heldRolloutsQuery('paused'), enabled })
  const unapproved = useQuery({ ...heldRolloutsQuery('awaiting_approval'), enabled })
  const asked = [farm, health, alerts, certificates, paused, unapproved]
  const failed = asked.filter(({ isError }) => isError)
  if (asked.some(({ isLoading }) => isLoading)) {
    return (
      <div className="panel">
        <SkeletonRows rows={2} label={t('What needs you')} />
      </div>
    )
  }
  if (farm.data === undefined || health.data === undefined) {
    const [first] = failed
    return (
      <ErrorBox
        what={t('Whether all is well')}
        error={first?.error ?? null}
        onRetry={() => {
          for (const one of failed) void one.refetch()
        }}
      />
    )
  }
  const known = {
    ...{ farm: farm.data, health: health.data, alerts: alerts.data },
    ...{ certificates: certificates.data, held: [paused.data, unapproved.data], missed },
  }
  const concerns = concernsOf(known)
  const silenced = silencedIn(known)
  const left = silenced > 0 && <Silenced count={silenced} />
  return (
    <>
      {failed.length > 0 && (
        <Notice tone="warn" title={t('Not everything could be read')}>
          {t('What is below may not be all that needs you.')}
        </Notice>
      )}
      {concerns.length === 0 && failed.length === 0 ? (
        <StatePanel label={well.label} verdict={well} progress={left}>
          <p>{wellWords(farm.data)}</p>
        </StatePanel>
      ) : (
        concerns.length > 0 && (
          <StatePanel label={NEEDS} verdict={needsVerdict(concerns)} progress={left}>
            <ul className={classes.concerns}>
              {concerns.map((one) => (
                <Line key={one.key} concern={one} />
              ))}
            </ul>
          </StatePanel>
        )
      )}
    </>
  )
}

const NEEDS = t('Needs you')
const well = { label: t('All is well'), tone: 'good', shape: 'disc' } satisfies Verdict

/** As bad as its worst. */
function needsVerdict(concerns: readonly Concern[]): Verdict {
  const { tone, shape } = concerns[0] ?? well
  return { label: NEEDS, tone, shape }
}

function wellWords({ nodes, rollouts }: FarmSummary): string {
  const all = t(
    '{nodes, plural, one {# node} other {# nodes}}, none silent, drifted or out of sync.',
    { nodes: nodes.total },
  )
  if (rollouts === null) return all
  const { underWay } = rollouts
  return `${all} ${underWay === 0 ? t('No rollout is running.') : t('{underWay, plural, one {# rollout} other {# rollouts}} under way.', { underWay })}`
}

const Silenced = ({ count }: { count: number }) => (
  <Link to="/alerts">
    {t('{count, plural, one {# alert} other {# alerts}} silenced', { count })}
  </Link>
)

function Line({ concern: { tone, shape, text, note, to } }: { concern: Concern }) {
  return (
    <li>
      <StatusMark tone={tone} shape={shape} />
      <span>
        <TargetLink to={to}>{text}</TargetLink>
        {note !== '' && <span className="dim"> {note}</span>}
      </span>
    </li>
  )
}
