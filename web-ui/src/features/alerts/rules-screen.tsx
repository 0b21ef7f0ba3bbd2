// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { AlertRule, Session } from '../../lib/api-types.ts'
import { nodeNameQuery } from '../../lib/name-queries.ts'
import { whyNot } from '../../lib/permissions.ts'
import { alertRulesQuery, switchRuleMutation, testRuleMutation } from './api.ts'
import { TestSent } from './rule-actions.tsx'
import { conditionWords, ruleVerdict, whoseWords } from './rules.ts'

export function AlertRulesScreen({ session }: { session: Session }) {
  const blockedBy = whyNot(session, 'alerts:write')
  return (
    <Page
      width="list"
      title={t('Alert rules')}
      meta={t('What fires an alert, and when.')}
      actions={
        blockedBy === null && (
          <ButtonLink to="/settings/alert-rules/new">{t('New rule')}</ButtonLink>
        )
      }
    >
      <RulesPanel isMine={blockedBy === null} />
      {blockedBy !== null && (
        <Notice tone="info" title={t('You may not change rules')}>
          {blockedBy}
        </Notice>
      )}
    </Page>
  )
}

function RulesPanel({ isMine }: { isMine: boolean }) {
  const client = useQueryClient()
  const rules = useQuery(alertRulesQuery)
  const onSettled = () => client.invalidateQueries({ queryKey: ['alert-rules'] })
  const turn = useMutation({ ...switchRuleMutation, onSettled })
  const test = useMutation(testRuleMutation)
  const failed = [turn, test].find(({ isError }) => isError)
  return (
    <section className="panel" aria-label={t('Rules')}>
      {failed && <ErrorBox what={t('Not done')} error={failed.error} />}
      {test.data && <TestSent eventId={test.data.eventId} />}
      <QueryStates query={rules} what={t('The rules')} skeletonRows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('There are no rules')}>{t('No alert can fire.')}</EmptyState>
          ) : (
            <Table
              rules={items}
              actions={
                isMine
                  ? {
                      turn: ({ id, enabled }) => turn.mutate({ id, enabled: !enabled }),
                      test: ({ id }) => test.mutate(id),
                    }
                  : null
              }
            />
          )
        }
      </QueryStates>
    </section>
  )
}

type Actions = { turn: (rule: AlertRule) => void; test: (rule: AlertRule) => void }

function Table({ rules, actions }: { rules: AlertRule[]; actions: Actions | null }) {
  return (
    <ScrollBox label={t('Rules, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Rule')}</th>
            <th scope="col" className="wide-only">
              {t('Severity')}
            </th>
            <th scope="col" className="wide-only">
              {t('Applies to')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('What can be done')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={rule.id}>
              <td>
                <StatusBadge verdict={ruleVerdict(rule)} />
              </td>
              <td>
                <Link to="/settings/alert-rules/$id" params={{ id: rule.id }}>
                  {rule.name}
                </Link>
                <div className="dim">{conditionWords(rule)}</div>
                {rule.failing !== null && <div>{rule.failing}</div>}
              </td>
              <td className="wide-only">{rule.severity}</td>
              <td className="wide-only">
                <AppliesTo to={rule.appliesTo} />
              </td>
              <td className="num">{actions && <RuleActions rule={rule} actions={actions} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** A rule has a node's id. */
function AppliesTo({ to }: { to: string }) {
  const id = /^node:(.+)$/.exec(to)?.[1]
  const name = useQuery({ ...nodeNameQuery(id ?? ''), enabled: id !== undefined })
  if (id === undefined || name.data === undefined) return whoseWords(to)
  return (
    <Link to="/nodes/$id" params={{ id }}>
      {name.data}
    </Link>
  )
}

function RuleActions({ rule, actions }: { rule: AlertRule; actions: Actions }) {
  const word = rule.enabled ? t('Turn off') : t('Turn on')
  return (
    <div className="row">
      <Button
        variant="default"
        size="xs"
        onClick={() => actions.turn(rule)}
        aria-label={`${word}: ${rule.name}`}
      >
        {word}
      </Button>
      <Button
        variant="default"
        size="xs"
        onClick={() => actions.test(rule)}
        aria-label={t('Send a test: {name}', { name: rule.name })}
      >
        {t('Test')}
      </Button>
    </div>
  )
}
