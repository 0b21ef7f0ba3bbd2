// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import type { AlertRule, AlertSilence, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { alertRulesQuery, endSilenceMutation, silencesQuery } from './api.ts'
import { SilenceForm } from './silence-form.tsx'

export function SilencesPanel({ session }: { session: Session }) {
  const client = useQueryClient()
  const rules = useQuery(alertRulesQuery)
  const silences = useQuery(silencesQuery)
  const onSuccess = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['alert-silences'] }),
      client.invalidateQueries({ queryKey: ['alerts'] }),
    ])
  const end = useMutation({ ...endSilenceMutation, onSuccess })
  const blockedBy = whyNotSilence(session)
  return (
    <section className="panel" aria-labelledby="silences-heading">
      <div className="panel-head">
        <h2 id="silences-heading">{t('Silences')}</h2>
        <span className="dim">{t('alerts that webhooks are not told of for a while')}</span>
      </div>
      {end.isError && <ErrorBox what={t('Not ended')} error={end.error} />}
      <QueryStates query={silences} what={t('The silences')} skeletonRows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('Nothing is silenced')}>
              {t('Whoever works on nodes silences their alerts here, with a reason and an end.')}
            </EmptyState>
          ) : (
            <Table
              silences={items}
              rules={rules.data?.items ?? null}
              onEnd={blockedBy === null ? end.mutate : null}
            />
          )
        }
      </QueryStates>
      <div className="panel-body">
        <SilenceForm rules={rules.data?.items ?? []} blockedBy={blockedBy} />
      </div>
    </section>
  )
}

/** A scope is enough to acknowledge, not to silence. */
export function whyNotSilence(session: Session): string | null {
  const { user } = session
  if (user.scope === null) return whyNot(session, 'alerts:handle')
  return t('Your roles count for nodes with {scope} only, and a silence concerns the whole farm.', {
    scope: user.scope,
  })
}

type TableProps = {
  silences: AlertSilence[]
  /** null: they are not read yet. */
  rules: AlertRule[] | null
  onEnd: ((id: string) => void) | null
}

function Table({ silences, rules, onEnd }: TableProps) {
  return (
    <ScrollBox label={t('Silences, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('About')}</th>
            <th scope="col">{t('Why')}</th>
            <th scope="col">{t('Until')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('End it')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {silences.map((silence) => (
            <tr key={silence.id}>
              <td>{aboutWords(silence, rules)}</td>
              <td>
                {silence.reason}
                <div className="dim">{silence.createdBy}</div>
              </td>
              <td>{formatDateTime(silence.until)}</td>
              <td className="num">
                {onEnd !== null && (
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onEnd(silence.id)}
                    aria-label={t('End the silence: {reason}', { reason: silence.reason })}
                  >
                    {t('End')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function aboutWords({ ruleId, selector }: AlertSilence, rules: AlertRule[] | null): string {
  const named = rules?.find(({ id }) => id === ruleId)?.name
  const rule =
    ruleId === null ? t('Every rule') : (named ?? (rules === null ? '…' : t('A deleted rule')))
  return selector === null ? rule : t('{rule}, nodes with {selector}', { rule, selector })
}
