// SPDX-License-Identifier: MIT
// What becomes of a certificate by itself: its renewal, what was wrong last, and what people can do about either.

import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Facts } from '../../../components/facts.tsx'
import { ButtonLink } from '../../../components/links.tsx'
import { Notice } from '../../../components/notice.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import type { ManagedCertificate } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { HostNames } from '../host-names.tsx'
import { managedQuery } from './api.ts'
import { ManagedActions } from './managed-actions.tsx'
import { OpenOrderPanel } from './open-order-panel.tsx'
import { OrderTrouble } from './order-trouble.tsx'
import { PastOrdersPanel } from './past-orders-panel.tsx'
import {
  authorityWords,
  challengeWords,
  keyNames,
  managedVerdict,
  nextWords,
  whyWords,
} from './rules.ts'

type Props = { name: string; blockedBy: string | null }

export function ManagedPanel({ name, blockedBy }: Props) {
  const managed = useQuery(managedQuery(name))
  const found = managed.data
  return (
    <>
      <section className="panel" aria-labelledby="renewal-heading">
        <div className="panel-head">
          <h2 id="renewal-heading">{t('Renewal')}</h2>
        </div>
        <QueryStates query={managed} what={t('How it is renewed')} skeletonRows={4}>
          {(one) =>
            one === null ? (
              <Uploaded name={name} blockedBy={blockedBy} />
            ) : (
              <div className="panel-body stack">
                <Standing managed={one.body} />
                <ManagedActions managed={one.body} etag={one.etag} blockedBy={blockedBy} />
              </div>
            )
          }
        </QueryStates>
      </section>
      {found?.body.order && (
        <OpenOrderPanel order={found.body.order} challenge={found.body.challenge} />
      )}
      {found && <PastOrdersPanel name={name} />}
    </>
  )
}

const Uploaded = ({ name, blockedBy }: Props) => (
  <EmptyState
    title={t('You renew it yourself')}
    action={
      blockedBy === null && (
        <ButtonLink variant="default" to="/order-certificate" search={{ name }}>
          {t('Order it from now on')}
        </ButtonLink>
      )
    }
  >
    {t(
      'It was uploaded, so a new version comes only by another upload. Farmstead can order it from a certificate authority instead, and renew it in time.',
    )}
  </EmptyState>
)

function Standing({ managed }: { managed: ManagedCertificate }) {
  const now = useNow()
  const { state, order, lastError, renewAt, renewalWindow, challenge } = managed
  return (
    <>
      {order === null && lastError !== null && (
        <Notice tone="warn" title={t('The last attempt failed')}>
          <OrderTrouble error={lastError.message} challenge={challenge} />
          <p className="dim">{formatDateTime(lastError.at)}</p>
        </Notice>
      )}
      <Facts
        facts={[
          { name: t('State'), value: <StatusBadge verdict={managedVerdict(state)} /> },
          {
            name: t('What happens next'),
            value: `${nextWords(managed, now)} ${whyWords(managed)}`,
          },
          ...(renewAt === null || managed.paused
            ? []
            : [{ name: t('Renewal'), value: formatDateTime(renewAt) }]),
          ...(renewalWindow === null
            ? []
            : [{ name: t('Suggested for'), value: <Window window={renewalWindow} /> }]),
          { name: t('Hosts'), value: <HostNames names={managed.names} most={100} /> },
          {
            name: t('Ordered from'),
            value: managed.authorities.map(authorityWords).join(t('; if that fails from ')),
          },
          { name: t('Hosts are proven'), value: challengeWords(challenge) },
          { name: t('Key'), value: keyNames[managed.keyType] },
          ...(managed.preferredChain === null
            ? []
            : [{ name: t('Preferred chain'), value: managed.preferredChain }]),
          {
            name: t('Rollout'),
            value: managed.rollOut
              ? t('automatically, once a new version is there')
              : t('started by people: a new version waits for them'),
          },
          {
            name: t('Set up'),
            value: t('{createdAt} by {createdBy}', {
              createdAt: formatDateTime(managed.createdAt),
              createdBy: managed.createdBy,
            }),
          },
        ]}
      />
    </>
  )
}

function Window({ window }: { window: NonNullable<ManagedCertificate['renewalWindow']> }) {
  const { start, end, explanationUrl } = window
  return (
    <>
      {t('{start} to {end}, by the authority', {
        start: formatDateTime(start),
        end: formatDateTime(end),
      })}
      {explanationUrl !== null && /^https?:/.test(explanationUrl) && (
        <>
          {' '}
          (
          <a href={explanationUrl} target="_blank" rel="noreferrer">
            {t('its reason')}
          </a>
          )
        </>
      )}
    </>
  )
}
