// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ChangedMeanwhile } from '../../../components/changed-meanwhile.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { isApiError } from '../../../lib/api-error.ts'
import type { DnsWebhook, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { sentence } from '../managed/rules.ts'
import {
  changeDnsWebhookMutation,
  dnsWebhookQuery,
  dnsWebhooksKey,
  rotateDnsSecretMutation,
} from './api.ts'
import { DeleteDnsWebhookDialog } from './delete-dns-webhook-dialog.tsx'
import classes from './dns-webhooks.module.css'
import { Explanation, SecretOnce } from './explanation.tsx'
import { dnsRefusals, dnsTroubles, dnsWebhookVerdict } from './rules.ts'

type Props = { name: string; session: Session; onDeleted: () => void }

export function DnsWebhookScreen({ name, session, onDeleted }: Props) {
  const webhook = useQuery(dnsWebhookQuery(name))
  const blockedBy = whyNot(session, 'certificates:write')
  return (
    <Page title={name} meta={t('DNS webhook')}>
      <QueryStates query={webhook} what={t('The DNS webhook')} skeletonRows={6}>
        {({ body, etag }) => (
          <>
            <StatePanel webhook={body} />
            {blockedBy === null ? (
              <>
                <ActionsPanel name={name} etag={etag} onDeleted={onDeleted} />
                <EditPanel webhook={body} etag={etag} />
              </>
            ) : (
              <p className="dim">{blockedBy}</p>
            )}
          </>
        )}
      </QueryStates>
      <section className="panel" aria-labelledby="contract-heading">
        <div className="panel-head">
          <h2 id="contract-heading">{t('What your program does')}</h2>
        </div>
        <div className="panel-body">
          <Explanation />
        </div>
      </section>
    </Page>
  )
}

function StatePanel({ webhook }: { webhook: DnsWebhook }) {
  const { lastError, url, createdAt, createdBy } = webhook
  return (
    <section className="panel" aria-label={t('Its state')}>
      <div className="panel-body stack">
        {lastError !== null && (
          <Notice tone="warn" title={t('The last message to it failed')}>
            {t(
              '{sentence} The log of your program may say more; the order tries again by itself.',
              { sentence: sentence(lastError) },
            )}
          </Notice>
        )}
        <Facts
          facts={[
            { name: t('State'), value: <StatusBadge verdict={dnsWebhookVerdict(webhook)} /> },
            { name: t('Address'), value: <span className={classes.url}>{url}</span> },
            {
              name: t('Added'),
              value: t('{createdAt} by {createdBy}', {
                createdAt: formatDateTime(createdAt),
                createdBy,
              }),
            },
          ]}
        />
      </div>
    </section>
  )
}

function ActionsPanel({
  name,
  etag,
  onDeleted,
}: {
  name: string
  etag: string
  onDeleted: () => void
}) {
  const client = useQueryClient()
  const [deleting, setDeleting] = useState(false)
  const rotate = useMutation({
    ...rotateDnsSecretMutation,
    onSuccess: () => client.invalidateQueries(dnsWebhooksKey),
  })
  return (
    <section className="panel" aria-label={t('What can be done')}>
      <div className="panel-body stack">
        <div className="row">
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate(name)}>
            {t('Make a new secret')}
          </Button>
          <Button variant="danger" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </Button>
        </div>
        {rotate.isError && <ErrorBox what={t('The secret stays')} error={rotate.error} />}
        {rotate.data && (
          <>
            <p>{t('The old secret is of no use any more: give your program this one now.')}</p>
            <SecretOnce secret={rotate.data.secret} />
          </>
        )}
      </div>
      {deleting && (
        <DeleteDnsWebhookDialog
          name={name}
          etag={etag}
          onDeleted={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </section>
  )
}

type Shown = { webhook: DnsWebhook; etag: string }

function EditPanel(first: Shown) {
  const client = useQueryClient()
  const { shown, renew } = useAsShown(first)
  const { name } = first.webhook
  const reload = async () => {
    const now = await client.fetchQuery({ ...dnsWebhookQuery(name), staleTime: 0 })
    renew({ webhook: now.body, etag: now.etag })
  }
  const change = useMutation({
    ...changeDnsWebhookMutation,
    onSuccess: async () => {
      await client.invalidateQueries(dnsWebhooksKey)
      await reload()
    },
  })
  return (
    <section className="panel" aria-labelledby="edit-dns-webhook-heading">
      <div className="panel-head">
        <h2 id="edit-dns-webhook-heading">{t('Its address')}</h2>
      </div>
      <div className="panel-body stack">
        <EditForm
          key={shown.etag}
          webhook={shown.webhook}
          pending={change.isPending}
          error={isApiError(change.error, 412) ? null : change.error}
          onChange={() => change.reset()}
          onSubmit={(url) => change.mutate({ name, etag: shown.etag, url })}
        />
        {isApiError(change.error, 412) && (
          <ChangedMeanwhile
            what={t('this webhook')}
            onReload={() => {
              change.reset()
              void reload()
            }}
          />
        )}
      </div>
    </section>
  )
}

type FormProps = {
  webhook: DnsWebhook
  pending: boolean
  error: Error | null
  onChange: () => void
  onSubmit: (url: string) => void
}

function EditForm({ webhook, pending, error, onChange, onSubmit }: FormProps) {
  const [url, setUrl] = useState(webhook.url)
  const [asked, setAsked] = useState(false)
  const found = dnsTroubles({ name: webhook.name, url })
  const refused = dnsRefusals(error)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (found.url === undefined) onSubmit(url.trim())
  }
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <TextInput
        label={t('Address of your program')}
        description={t('It gets a POST. The address is shown and recorded: put no secret in it')}
        value={url}
        maxLength={2048}
        spellCheck={false}
        error={refused.url ?? (asked ? (found.url ?? null) : null)}
        onChange={({ currentTarget: { value } }) => {
          onChange()
          setUrl(value)
        }}
      />
      <UnsavedGuard what={t('The DNS webhook')} isUnsaved={url !== webhook.url} />
      {error !== null && refused.url === undefined && (
        <ErrorBox what={t('Not saved')} error={error} />
      )}
      <ActionButton type="submit" loading={pending} blockedBy={null}>
        {t('Save')}
      </ActionButton>
    </form>
  )
}
