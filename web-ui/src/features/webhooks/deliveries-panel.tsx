// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { WebhookDelivery } from '../../lib/api-types.ts'
import { deliveriesQuery, redeliverMutation } from './api.ts'
import { deliveryVerdict, failureWords } from './rules.ts'

export function DeliveriesPanel({ id, blockedBy }: { id: string; blockedBy: string | null }) {
  const client = useQueryClient()
  const deliveries = useQuery(deliveriesQuery(id))
  const redeliver = useMutation({
    ...redeliverMutation,
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', id] }),
  })
  return (
    <section className="panel" aria-labelledby="deliveries-heading">
      <div className="panel-head">
        <h2 id="deliveries-heading">{t('The last attempts')}</h2>
        <span className="dim">{t('newest first')}</span>
      </div>
      {redeliver.isError && <ErrorBox what={t('Not sent again')} error={redeliver.error} />}
      <QueryStates query={deliveries} what={t('The attempts')} skeletonRows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('Nothing was sent yet')}>
              {t('The next event it subscribes to appears here, or a test.')}
            </EmptyState>
          ) : (
            <Deliveries
              deliveries={items}
              onAgain={
                blockedBy === null ? (eventId) => redeliver.mutate({ id, eventId }) : undefined
              }
            />
          )
        }
      </QueryStates>
    </section>
  )
}

type DeliveriesProps = {
  deliveries: WebhookDelivery[]
  onAgain: ((eventId: number) => void) | undefined
}

function Deliveries({ deliveries, onAgain }: DeliveriesProps) {
  return (
    <ScrollBox label={t('Attempts, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('When')}</th>
            <th scope="col">{t('Event')}</th>
            <th scope="col">{t('Outcome')}</th>
            <th scope="col" className="num wide-only">
              {t('Took')}
            </th>
            <th scope="col" className="wide-only">
              {t('Said')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('Send again')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <td>
                <TimeAgo at={delivery.at} />
              </td>
              <td>
                {delivery.type}
                {delivery.eventId !== null && <span className="dim"> {delivery.eventId}</span>}
              </td>
              <td>
                <StatusBadge verdict={deliveryVerdict(delivery)} />
              </td>
              <td className="num wide-only">
                {t('{durationMs} ms', { durationMs: delivery.durationMs })}
              </td>
              <td className="wide-only">
                {delivery.error === null ? delivery.status : failureWords(delivery.error)}
              </td>
              <td className="num">
                <Again delivery={delivery} onAgain={onAgain} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

type AgainProps = { delivery: WebhookDelivery; onAgain: DeliveriesProps['onAgain'] }

function Again({ delivery: { eventId, type }, onAgain }: AgainProps) {
  if (eventId === null || onAgain === undefined) return null
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => onAgain(eventId)}
      aria-label={t('Send {type} {eventId} again', { type, eventId })}
    >
      {t('Again')}
    </Button>
  )
}
