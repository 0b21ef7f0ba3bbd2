// SPDX-License-Identifier: MIT

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChangedMeanwhile } from '../../../components/changed-meanwhile.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { ManagedCertificate, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { authoritiesQuery } from '../authorities/api.ts'
import { dnsWebhooksQuery } from '../dns-webhooks/api.ts'
import { changeMutation, managedQuery, readAgain } from './api.ts'
import { OrderForm } from './order-form.tsx'
import { draftOf } from './wish.ts'

type Props = { name: string; session: Session; onSaved: () => void }

export function EditScreen({ name, session, onSaved }: Props) {
  const managed = useQuery(managedQuery(name))
  const blocked = whyNot(session, 'certificates:write')
  return (
    <Page
      width="text"
      title={t('How {name} is ordered', { name })}
      meta={t('What is changed here counts from the next order on.')}
    >
      {blocked === null ? (
        <section className="panel" aria-label={t('What to order')}>
          <QueryStates query={managed} what={t('How it is ordered')} skeletonRows={6}>
            {(found) =>
              found === null ? (
                <EmptyState title={t('It is not ordered by Farmstead')}>
                  {t('There is nothing to change: it was uploaded, or it is not there.')}
                </EmptyState>
              ) : (
                <Known managed={found.body} etag={found.etag} onSaved={onSaved} />
              )
            }
          </QueryStates>
        </section>
      ) : (
        <Notice tone="info" title={t('You may not change how certificates are ordered')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

type KnownProps = { managed: ManagedCertificate; etag: string; onSaved: () => void }

function Known({ onSaved, ...first }: KnownProps) {
  const client = useQueryClient()
  const authorities = useQuery(authoritiesQuery)
  const webhooks = useQuery(dnsWebhooksQuery)
  const { shown, renew } = useAsShown(first)
  const { managed, etag } = shown
  const change = useMutation({
    ...changeMutation,
    onSuccess: async () => {
      await readAgain(client)
      onSaved()
    },
  })
  const reload = async () => {
    const now = await client.fetchQuery({ ...managedQuery(managed.name), staleTime: 0 })
    change.reset()
    if (now) renew({ managed: now.body, etag: now.etag })
  }
  const isOld = isApiError(change.error, 412)
  return (
    <QueryStates query={authorities} what={t('The certificate authorities')} skeletonRows={6}>
      {({ items }) => (
        <QueryStates query={webhooks} what={t('The DNS webhooks')} skeletonRows={6}>
          {({ items: hooks }) => (
            <div className="panel-body stack">
              <OrderForm
                key={etag}
                before={draftOf(managed)}
                isNamed
                isUploaded={false}
                authorities={items}
                webhooks={hooks}
                submit={t('Save')}
                pending={change.isPending}
                isDone={change.isSuccess}
                error={isOld ? null : change.error}
                onSubmit={(name, wish) => change.mutate({ name, etag, ...wish })}
                onChange={() => change.reset()}
              />
              {isOld && (
                <ChangedMeanwhile what={t('this certificate')} onReload={() => void reload()} />
              )}
            </div>
          )}
        </QueryStates>
      )}
    </QueryStates>
  )
}
