// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TabBar } from '../../components/tab-bar.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Alert, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import classes from './alerts.module.css'
import { alertsQuery } from './api.ts'
import { type AlertsSearch, alertVerdict, STATES } from './rules.ts'
import { SilenceDialog } from './silence-form.tsx'
import { SilencesPanel, whyNotSilence } from './silences-panel.tsx'

const tabs: Record<Alert['state'], string> = {
  firing: t('Firing'),
  pending: t('Pending'),
  resolved: t('History'),
}
const nothing: Record<Alert['state'], string> = {
  firing: t('No alert is firing'),
  pending: t('No alert is pending'),
  resolved: t('No alert has fired yet'),
}

export function AlertsScreen({ session, search }: { session: Session; search: AlertsSearch }) {
  const { state = 'firing' } = search
  return (
    <Page
      title={t('Alerts')}
      meta={
        <span className="dim">
          <T
            text="What the <link>rules</link> found. Webhooks are told when an alert fires."
            link={<Link to="/settings/alert-rules" />}
          />
        </span>
      }
    >
      <TabBar label={t('Alerts by state')}>
        {STATES.map((one) => (
          <Link
            key={one}
            to="/alerts"
            search={one === 'firing' ? {} : { state: one }}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {tabs[one]}
          </Link>
        ))}
      </TabBar>
      <ListPanel key={state} state={state} session={session} />
      <SilencesPanel session={session} />
    </Page>
  )
}

function ListPanel({ state, session }: { state: Alert['state']; session: Session }) {
  const alerts = useInfiniteQuery(alertsQuery(state))
  const [opened, setOpened] = useState<Opened | null>(null)
  const mayHandle = may(session, 'alerts:handle')
  return (
    <section className="panel" aria-label={tabs[state]}>
      <QueryStates query={alerts} what={t('The alerts')} skeletonRows={3}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items)
          return all.length === 0 ? (
            <EmptyState title={nothing[state]}>
              {t('Rules are checked every 15 seconds.')}
            </EmptyState>
          ) : (
            <Table
              alerts={all}
              onOpen={mayHandle ? setOpened : null}
              maySilence={whyNotSilence(session) === null}
            />
          )
        }}
      </QueryStates>
      <NextPage of={alerts}>{t('Show more alerts')}</NextPage>
      {opened?.dialog === 'acknowledge' && (
        <AcknowledgeDialog alert={opened.alert} onClose={() => setOpened(null)} />
      )}
      {opened?.dialog === 'silence' && (
        <SilenceDialog alert={opened.alert} onClose={() => setOpened(null)} />
      )}
    </section>
  )
}

type Opened = { dialog: 'acknowledge' | 'silence'; alert: Alert }
type TableProps = {
  alerts: Alert[]
  /** null: that is not this person's. */
  onOpen: ((opened: Opened) => void) | null
  maySilence: boolean
}

function Table({ alerts, ...actions }: TableProps) {
  // Beside the rest there is no room: what one would do about an alert were out of sight.
  const isNarrow = useNarrow()
  return (
    <ScrollBox label={t('Alerts, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('What')}</th>
            <th scope="col">{t('Since')}</th>
            {!isNarrow && <th scope="col">{t('Acknowledged by')}</th>}
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.id}>
              <td>
                <StatusBadge verdict={alertVerdict(alert)} />
              </td>
              <td>
                <RuleLink alert={alert} />
                {': '}
                <Subject alert={alert} />
                <div className="dim">
                  <span lang="en">{alert.message}</span> {notesOn(alert).join(' ')}
                </div>
                {isNarrow && <Acknowledged alert={alert} isNamed {...actions} />}
              </td>
              <td>
                <TimeAgo at={alert.firingSince ?? alert.pendingSince} />
              </td>
              {!isNarrow && (
                <td>
                  <Acknowledged alert={alert} {...actions} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function RuleLink({ alert: { ruleId, ruleName, state } }: { alert: Alert }) {
  // Of what is over the rule may be gone.
  if (state === 'resolved') return ruleName
  return (
    <Link to="/settings/alert-rules/$id" params={{ id: ruleId }}>
      {ruleName}
    </Link>
  )
}

function notesOn({ isWithoutData, silencedUntil, resolvedAt, resolvedBecause }: Alert): string[] {
  return [
    ...(isWithoutData
      ? [t('No data has arrived since: whether it still holds is not known.')]
      : []),
    ...(silencedUntil === null
      ? []
      : [t('Silenced until {silencedUntil}.', { silencedUntil: formatDateTime(silencedUntil) })]),
    ...(resolvedAt === null
      ? []
      : [t('Resolved at {resolvedAt}.', { resolvedAt: formatDateTime(resolvedAt) })]),
    ...(resolvedBecause ? [resolvedBecause] : []),
  ]
}

function Subject({ alert: { subject } }: { alert: Alert }) {
  const { kind, id, name } = subject
  if (kind === 'node') {
    return (
      <Link to="/nodes/$id" params={{ id }}>
        {name}
      </Link>
    )
  }
  if (kind === 'rollout') {
    return (
      <Link to="/rollouts/$id" params={{ id }}>
        {name}
      </Link>
    )
  }
  if (kind === 'certificate') {
    return (
      <Link to="/certificates/$name" params={{ name }}>
        {name}
      </Link>
    )
  }
  return name
}

type AcknowledgedProps = Pick<TableProps, 'onOpen' | 'maySilence'> & {
  alert: Alert
  /** No heading says whose name it is. */
  isNamed?: boolean
}

function Acknowledged({ alert, isNamed, onOpen, maySilence }: AcknowledgedProps) {
  const { state, acknowledgedBy, comment, silencedUntil } = alert
  const isOpen = state !== 'resolved'
  return (
    <>
      {isNamed && acknowledgedBy !== null
        ? t('Acknowledged by {name}', { name: acknowledgedBy })
        : acknowledgedBy}
      {comment !== '' && <div className="dim">{comment}</div>}
      {isOpen && onOpen !== null && (
        <div className={`row ${classes.actions}`}>
          {acknowledgedBy === null && (
            <RowAction word={t('Acknowledge')} dialog="acknowledge" alert={alert} onOpen={onOpen} />
          )}
          {silencedUntil === null && maySilence && (
            <RowAction word={t('Silence')} dialog="silence" alert={alert} onOpen={onOpen} />
          )}
        </div>
      )}
    </>
  )
}

type RowActionProps = Opened & { word: string; onOpen: (opened: Opened) => void }

function RowAction({ word, dialog, alert, onOpen }: RowActionProps) {
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => onOpen({ dialog, alert })}
      aria-label={`${word} ${alert.ruleName}: ${alert.subject.name}`}
    >
      {word}
    </Button>
  )
}
