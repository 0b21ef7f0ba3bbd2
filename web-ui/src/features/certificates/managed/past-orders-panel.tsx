// SPDX-License-Identifier: MIT

import { useInfiniteQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../components/empty-state.tsx'
import { NextPage } from '../../../components/next-page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { CertificateOrder } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { ordersQuery } from './api.ts'
import classes from './managed.module.css'
import { authorityWords, orderVerdict } from './rules.ts'

export function PastOrdersPanel({ name }: { name: string }) {
  const orders = useInfiniteQuery(ordersQuery(name))
  const ended = (orders.data?.pages.flatMap(({ items }) => items) ?? []).filter(
    ({ endedAt }) => endedAt !== null,
  )
  return (
    <section className="panel" aria-labelledby="past-orders-heading">
      <div className="panel-head">
        <h2 id="past-orders-heading">{t('Past orders')}</h2>
      </div>
      <QueryStates query={orders} what={t('The past orders')} skeletonRows={3}>
        {() =>
          ended.length === 0 ? (
            <EmptyState title={t('None yet')}>
              {t('Each order is listed here once it has ended.')}
            </EmptyState>
          ) : (
            <Table orders={ended} />
          )
        }
      </QueryStates>
      <NextPage of={orders}>{t('Show older orders')}</NextPage>
    </section>
  )
}

function Table({ orders }: { orders: CertificateOrder[] }) {
  return (
    <ScrollBox label={t('Past orders, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Outcome')}</th>
            <th scope="col">{t('Ended')}</th>
            <th scope="col">{t('What came of it')}</th>
            <th scope="col" className="wide-only">
              {t('Ordered from')}
            </th>
            <th scope="col" className="wide-only">
              {t('Started by')}
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <tr key={order.id}>
              <td>
                <StatusBadge verdict={orderVerdict(order)} />
              </td>
              <td className={classes.ended}>
                {order.endedAt !== null && formatDateTime(order.endedAt)}
              </td>
              <td className={classes.message}>{outcomeWords(order)}</td>
              <td className="wide-only">
                {authorityWords({ name: order.authority, profile: order.profile })}
              </td>
              <td className="wide-only">{order.startedBy}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function outcomeWords({ state, version, lastError }: CertificateOrder): string {
  if (version !== null) return t('Version {version}', { version })
  return lastError ?? (state === 'cancelled' ? t('It was cancelled.') : t('No reason was given.'))
}
