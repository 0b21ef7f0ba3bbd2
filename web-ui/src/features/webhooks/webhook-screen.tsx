// SPDX-License-Identifier: MIT

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useAsShown } from '../../hooks/use-as-shown.ts'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Session, Webhook } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { patchWebhookMutation, webhookQuery } from './api.ts'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { failureWords, webhookVerdict } from './rules.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookForm } from './webhook-form.tsx'

export type WebhookScreenProps = { id: string; session: Session; onDeleted: () => void }

export function WebhookScreen({ id, session, onDeleted }: WebhookScreenProps) {
  const webhook = useQuery(webhookQuery(id))
  const blockedBy = whyNot(session, 'webhooks:write')
  return (
    <Page title={t('Webhook')} meta={webhook.data?.body.url ?? id}>
      <QueryStates query={webhook} what={t('The webhook')} skeletonRows={6}>
        {({ body, etag }) => (
          <>
            <StatePanel webhook={body} />
            <WebhookActions
              webhook={body}
              etag={etag}
              blockedBy={blockedBy}
              onDeleted={onDeleted}
            />
            <EditPanel webhook={body} etag={etag} blockedBy={blockedBy} />
          </>
        )}
      </QueryStates>
      <DeliveriesPanel id={id} blockedBy={blockedBy} />
    </Page>
  )
}

function StatePanel({ webhook }: { webhook: Webhook }) {
  const { disabledReason, failingSince, lastError, failedAttempts, oldSecretUntil } = webhook
  return (
    <section className="panel" aria-label={t('Its state')}>
      <div className="panel-body stack">
        {disabledReason !== null && (
          <Notice tone="warn" title={t('It is told nothing')}>
            {disabledReason}.
          </Notice>
        )}
        <Facts
          facts={[
            { name: t('State'), value: <StatusBadge verdict={webhookVerdict(webhook)} /> },
            ...(failingSince === null
              ? []
              : [
                  { name: t('Failing since'), value: formatDateTime(failingSince) },
                  {
                    name: t('Attempts'),
                    value: t('{failedAttempts}; the last: {failureWords}', {
                      failedAttempts,
                      failureWords: failureWords(lastError ?? t('no answer')),
                    }),
                  },
                ]),
            ...(oldSecretUntil === null
              ? []
              : [{ name: t('Old secret signs until'), value: formatDateTime(oldSecretUntil) }]),
            {
              name: t('Made'),
              value: t('{createdAt} by {createdBy}', {
                createdAt: formatDateTime(webhook.createdAt),
                createdBy: webhook.createdBy,
              }),
            },
          ]}
        />
      </div>
    </section>
  )
}

const isSameInForm = (a: Webhook, b: Webhook): boolean =>
  a.url === b.url && a.description === b.description && a.events.join() === b.events.join()

type EditProps = { webhook: Webhook; etag: string; blockedBy: string | null }

function EditPanel({ webhook, etag, blockedBy }: EditProps) {
  const client = useQueryClient()
  const { shown, renew } = useAsShown({ webhook, etag })
  // Disabled, enabled or with a new secret it is another, but not in what the form writes.
  const knownEtag = isSameInForm(shown.webhook, webhook) ? etag : shown.etag
  const reload = async () => {
    await client.refetchQueries({ queryKey: webhookQuery(webhook.id).queryKey })
    const now = client.getQueryData(webhookQuery(webhook.id).queryKey)
    if (now) renew({ webhook: now.body, etag: now.etag })
  }
  const patch = useMutation({
    ...patchWebhookMutation,
    onSuccess: async () => {
      await reload()
      await client.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  return (
    <section className="panel" aria-labelledby="edit-heading">
      <div className="panel-head">
        <h2 id="edit-heading">{t('Events and address')}</h2>
      </div>
      <div className="panel-body stack">
        <WebhookForm
          key={shown.etag}
          before={shown.webhook}
          submit={t('Save')}
          pending={patch.isPending}
          blockedBy={blockedBy}
          onSubmit={(changed) => patch.mutate({ id: webhook.id, etag: knownEtag, ...changed })}
        />
        {isApiError(patch.error, 412) ? (
          <ChangedMeanwhile
            what={t('this webhook')}
            onReload={() => {
              patch.reset()
              void reload()
            }}
          />
        ) : (
          patch.isError && <ErrorBox what={t('Not saved')} error={patch.error} />
        )}
      </div>
    </section>
  )
}
