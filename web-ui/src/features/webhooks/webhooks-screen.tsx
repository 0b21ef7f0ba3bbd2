// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Session, Webhook } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { createWebhookMutation, webhooksQuery } from './api.ts'
import { webhookVerdict } from './rules.ts'
import { SecretOnce } from './secret-notice.tsx'
import { WebhookForm } from './webhook-form.tsx'
import classes from './webhooks.module.css'

export function WebhooksScreen({ session }: { session: Session }) {
  const blocked = whyNot(session, 'webhooks:read')
  return (
    <Page
      width="list"
      title={t('Webhooks')}
      meta={t('Other systems are sent what happens, signed, and again until they accept it.')}
    >
      {blocked === null ? (
        <>
          <ListPanel />
          <NewPanel session={session} />
        </>
      ) : (
        <Notice tone="info" title={t('You may not see webhooks')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function ListPanel() {
  const webhooks = useQuery(webhooksQuery)
  return (
    <section className="panel" aria-labelledby="webhooks-heading">
      <div className="panel-head">
        <h2 id="webhooks-heading">{t('Who is told')}</h2>
      </div>
      <QueryStates query={webhooks} what={t('The webhooks')} skeletonRows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('Nobody is told yet')}>
              {t(
                'Make a webhook below, and a chat, a pager or a script hears of rollouts and nodes.',
              )}
            </EmptyState>
          ) : (
            <>
              {items.filter(wasGivenUp).map(({ id, url, disabledReason }) => (
                <Notice key={id} tone="warn" title={t('{url} is told nothing any more', { url })}>
                  {t('{disabledReason}. Mend it, then enable the webhook.', { disabledReason })}
                </Notice>
              ))}
              <Table webhooks={items} />
            </>
          )
        }
      </QueryStates>
    </section>
  )
}

/** By us, not by a person. */
const wasGivenUp = ({ disabledAt, failingSince }: Webhook) =>
  disabledAt !== null && failingSince !== null

function Table({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <ScrollBox label={t('Webhooks, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Address')}</th>
            <th scope="col" className="wide-only">
              {t('Events')}
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <td>
                <StatusBadge verdict={webhookVerdict(webhook)} />
              </td>
              <td className={classes.url}>
                <Link to="/settings/webhooks/$id" params={{ id: webhook.id }}>
                  {webhook.url}
                </Link>
                {webhook.description !== '' && <div className="dim">{webhook.description}</div>}
              </td>
              <td className="wide-only">{webhook.events.join(' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const empty = { url: '', description: '', events: ['rollout', 'config', 'node.disconnected'] }

function NewPanel({ session }: { session: Session }) {
  const client = useQueryClient()
  const create = useMutation({
    ...createWebhookMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: ['webhooks'] }),
  })
  return (
    <section className="panel" aria-labelledby="new-webhook-heading">
      <div className="panel-head">
        <h2 id="new-webhook-heading">{t('New webhook')}</h2>
        <span className="grow" />
        {create.data !== undefined && (
          <Button variant="default" size="xs" onClick={() => create.reset()}>
            {t('Make another')}
          </Button>
        )}
      </div>
      <div className="panel-body stack">
        {create.data === undefined ? (
          <>
            <WebhookForm
              before={empty}
              submit={t('Make the webhook')}
              pending={create.isPending}
              blockedBy={whyNot(session, 'webhooks:write')}
              onSubmit={(webhook) => create.mutate(webhook)}
            />
            {create.isError && <ErrorBox what={t('No webhook was made')} error={create.error} />}
          </>
        ) : (
          <SecretOnce secret={create.data.secret} />
        )}
      </div>
    </section>
  )
}
