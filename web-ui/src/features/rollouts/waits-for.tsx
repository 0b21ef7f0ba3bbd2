// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Digest } from '../../components/digest.tsx'
import { Facts } from '../../components/facts.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, RolloutSummary } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'
import { namedRolloutsQuery } from './api.ts'
import { isWaiting } from './rules.ts'

/** What a rollout that has not begun waits for, and whom. */
export function WaitsFor({ rollout }: { rollout: Rollout }) {
  const { state, startAt, blockedBy, approvalsNeeded, planDigest } = rollout
  if (!isWaiting(state)) return null
  const facts = [
    ...(approvalsNeeded > 0
      ? [{ name: t('Approvals'), value: <Approvals rollout={rollout} /> }]
      : []),
    ...(startAt !== null ? [{ name: t('Not before'), value: formatDateTime(startAt) }] : []),
    ...(blockedBy.length > 0
      ? [{ name: t('Behind'), value: <BlockedBy rolloutIds={blockedBy} /> }]
      : []),
    { name: t('Plan'), value: <Digest value={planDigest} /> },
  ]
  return (
    <section className="panel" aria-labelledby="waits-heading">
      <div className="panel-head">
        <h2 id="waits-heading">{t('It has not begun')}</h2>
      </div>
      <div className="panel-body">
        <Facts facts={facts} />
      </div>
    </section>
  )
}

function Approvals({ rollout: { approvals, approvalsNeeded } }: { rollout: Rollout }) {
  const missing = approvalsNeeded - approvals.length
  return (
    <>
      {approvals.map(({ by, at }) => (
        <div key={by}>
          {by} <span className="dim">{formatDateTime(at)}</span>
        </div>
      ))}
      {missing > 0 && (
        <div>
          {t('{missing, plural, one {# more person} other {# more people}} must agree', {
            missing,
          })}
        </div>
      )}
    </>
  )
}

export function BlockedBy({ rolloutIds }: { rolloutIds: readonly string[] }) {
  const named = useQuery(namedRolloutsQuery(rolloutIds))
  return rolloutIds.map((id) => {
    const known = named.data?.find((one) => one.id === id)
    return (
      <div key={id}>
        {known ? <RolloutName rollout={known} /> : <Unnamed id={id} isPending={named.isPending} />}
      </div>
    )
  })
}

/** It cannot be read, or they are more than are asked for at once. */
const Unnamed = ({ id, isPending }: { id: string; isPending: boolean }) => (
  <Link to="/rollouts/$id" params={{ id }}>
    {isPending ? t('Another rollout…') : t('Another rollout')}
  </Link>
)

function RolloutName({ rollout: { id, config, version, message } }: { rollout: RolloutSummary }) {
  return (
    <>
      <Link to="/rollouts/$id" params={{ id }}>
        {config}
        {' v'}
        {version}
      </Link>{' '}
      <span className="dim">{message}</span>
    </>
  )
}
