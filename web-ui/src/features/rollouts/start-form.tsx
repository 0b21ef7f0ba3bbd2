// SPDX-License-Identifier: MIT

import { NativeSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type {
  NewRollout,
  Rollout,
  RolloutPlan,
  RolloutSummary,
  Session,
} from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { type Order, rolloutsQuery } from './api.ts'
import { PlanProgress } from './plan-progress.tsx'
import { useRefusalConsent } from './plan-refusals.tsx'
import { consequence } from './plan-rules.ts'
import classes from './rollouts.module.css'
import { isInTheWay, whyNotStart } from './rules.ts'
import { startTimeOf } from './start-time.ts'
import { useStart } from './use-start.ts'

/** Kept by the screen: a plan that is made anew must not cost the words. */
type Said = { message: string; startText: string }
export const nothingSaid: Said = { message: '', startText: '' }

type Props = {
  plan: RolloutPlan
  said: Said
  onSay: (said: Said) => void
  order: Order
  session: Session
  isOfTyped: boolean
  onStarted: (rollout: Rollout) => void
}

/** Starts the plan that is shown and no other: its digest goes with the order. */
export function StartForm({ plan, said, onSay, order, session, isOfTyped, onStarted }: Props) {
  const { message, startText } = said
  const [onOverlap, setOnOverlap] = useState<Overlap>('queue')
  const newest = useInfiniteQuery(rolloutsQuery()).data?.pages[0]?.items ?? []
  const inTheWay = newest.filter(({ state }) => isInTheWay(state))
  const start = useStart(onStarted)
  const consent = useRefusalConsent(plan)
  const startTime = startTimeOf(startText)
  const blockedBy =
    whyNot(session, 'rollouts:run') ??
    (isOfTyped ? whyNotStart(plan) : t('The plan is being made…')) ??
    (startTime.ok ? null : t('Fix the time first.')) ??
    consent.blockedBy
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!startTime.ok) return
    const why = message.trim()
    start.mutate({
      ...order,
      planDigest: plan.planDigest,
      ...(why !== '' && { message: why }),
      ...(startTime.at !== null && { startAt: startTime.at }),
      ...(inTheWay.length > 0 && { onOverlap }),
    })
  }
  return (
    <form className="panel" onSubmit={handleSubmit} noValidate>
      <div className={classes.startForm}>
        <TextInput
          label={t('Message (optional)')}
          description={t('Why now: shown with the rollout')}
          maxLength={500}
          value={message}
          onChange={(event) => onSay({ ...said, message: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={t('Not before (optional)')}
          description={(startTime.ok && startTime.note) || t('By this browser’s clock')}
          value={startText}
          onChange={(event) => onSay({ ...said, startText: event.currentTarget.value })}
          error={startTime.ok ? null : startTime.message}
        />
        {inTheWay.length > 0 && (
          <InTheWay rollouts={inTheWay} onOverlap={onOverlap} onChange={setOnOverlap} />
        )}
        {blockedBy === null && <p className={classes.consequence}>{consequence(plan)}</p>}
        {consent.field}
        <ActionButton type="submit" loading={start.isPending} blockedBy={blockedBy}>
          {t('Start rollout to {nodes, plural, one {# node} other {# nodes}}', {
            // Those that run it already are part of it, and nothing happens to them.
            nodes: plan.changingNodes || plan.nodes.total,
          })}
        </ActionButton>
      </div>
      <PlanProgress of={order} purpose="order" isWaiting={start.isPending} />
      {start.isError && (
        <div className="panel-body">
          <ErrorBox what={t('No rollout was started')} error={start.error} />
        </div>
      )}
    </form>
  )
}

type Overlap = NonNullable<NewRollout['onOverlap']>

const overlaps: { value: Overlap; label: string }[] = [
  { value: 'queue', label: t('Wait until it ends') },
  { value: 'refuse', label: t('Do not start') },
  { value: 'supersede', label: t('Replace it: it will be frozen') },
]

type InTheWayProps = {
  rollouts: readonly RolloutSummary[]
  onOverlap: Overlap
  onChange: (onOverlap: Overlap) => void
}

function InTheWay({ rollouts, onOverlap, onChange }: InTheWayProps) {
  return (
    <div className="stack-tight">
      <NativeSelect
        label={t('When another rollout has the same nodes')}
        value={onOverlap}
        onChange={({ currentTarget: { value } }) => onChange(value as Overlap)}
        data={overlaps}
      />
      <span>
        {t('Not over:')}{' '}
        {rollouts.map(({ id, config, version }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link to="/rollouts/$id" params={{ id }}>
              {config}
              {' v'}
              {version}
            </Link>
          </span>
        ))}
      </span>
    </div>
  )
}
