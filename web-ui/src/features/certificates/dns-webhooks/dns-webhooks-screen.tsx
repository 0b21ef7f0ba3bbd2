// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { t } from '../../../languages/t.ts'
import type { DnsWebhook, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { createDnsWebhookMutation, dnsWebhooksKey, dnsWebhooksQuery } from './api.ts'
import classes from './dns-webhooks.module.css'
import { Explanation, SecretOnce } from './explanation.tsx'
import { dnsRefusals, dnsTroubles, dnsWebhookVerdict } from './rules.ts'

export function DnsWebhooksScreen({ session }: { session: Session }) {
  const blocked = whyNot(session, 'certificates:read')
  return (
    <Page
      width="list"
      title={t('DNS webhooks')}
      meta={t('How hosts are proven by DNS-01: a program of yours sets the records.')}
    >
      {blocked === null ? (
        <>
          <ListPanel />
          <NewPanel blockedBy={whyNot(session, 'certificates:write')} />
          <section className="panel" aria-labelledby="contract-heading">
            <div className="panel-head">
              <h2 id="contract-heading">{t('What your program does')}</h2>
            </div>
            <div className="panel-body">
              <Explanation />
            </div>
          </section>
        </>
      ) : (
        <Notice tone="info" title={t('You may not see DNS webhooks')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function ListPanel() {
  const webhooks = useQuery(dnsWebhooksQuery)
  return (
    <section className="panel" aria-labelledby="dns-webhooks-heading">
      <div className="panel-head">
        <h2 id="dns-webhooks-heading">{t('Webhooks')}</h2>
      </div>
      <QueryStates query={webhooks} what={t('The DNS webhooks')} skeletonRows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('None yet')}>
              {t('You need one for wildcards, and for hosts that the internet does not reach.')}
            </EmptyState>
          ) : (
            <Table webhooks={items} />
          )
        }
      </QueryStates>
    </section>
  )
}

function Table({ webhooks }: { webhooks: DnsWebhook[] }) {
  return (
    <ScrollBox label={t('DNS webhooks, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Address')}</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.name}>
              <td>
                <StatusBadge verdict={dnsWebhookVerdict(webhook)} />
              </td>
              <td>
                <Link to="/settings/dns-webhooks/$name" params={{ name: webhook.name }}>
                  {webhook.name}
                </Link>
              </td>
              <td className={classes.url}>
                {webhook.url}
                {webhook.lastError !== null && <div className="dim">{webhook.lastError}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function NewPanel({ blockedBy }: { blockedBy: string | null }) {
  const client = useQueryClient()
  const [given, setGiven] = useState({ name: '', url: '' })
  const [asked, setAsked] = useState(false)
  const create = useMutation({
    ...createDnsWebhookMutation,
    onSuccess: () => client.invalidateQueries(dnsWebhooksKey),
  })
  const found = dnsTroubles(given)
  const refused = dnsRefusals(create.error)
  const trouble = { ...(asked && found), ...refused }
  const set = (change: Partial<typeof given>) => {
    create.reset()
    setGiven({ ...given, ...change })
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(found).length === 0) create.mutate({ name: given.name, url: given.url.trim() })
  }
  const again = () => {
    setAsked(false)
    set({ name: '', url: '' })
  }
  return (
    <section className="panel" aria-labelledby="new-dns-webhook-heading">
      <div className="panel-head">
        <h2 id="new-dns-webhook-heading">{t('New DNS webhook')}</h2>
        <span className="grow" />
        {create.data !== undefined && (
          <Button variant="default" size="xs" onClick={again}>
            {t('Add another')}
          </Button>
        )}
      </div>
      <div className="panel-body stack">
        {create.data === undefined ? (
          <form className={classes.form} onSubmit={handleSubmit} noValidate>
            <TextInput
              label={t('Name')}
              description={t('As orders will say it')}
              value={given.name}
              error={trouble.name ?? null}
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ currentTarget: { value } }) => set({ name: value })}
            />
            <TextInput
              label={t('Address of your program')}
              description={t(
                'It gets a POST. The address is shown and recorded: put no secret in it',
              )}
              placeholder="https://dns.example.org/farmstead"
              value={given.url}
              maxLength={2048}
              error={trouble.url ?? null}
              spellCheck={false}
              onChange={({ currentTarget: { value } }) => set({ url: value })}
            />
            <UnsavedGuard
              what={t('The DNS webhook')}
              isUnsaved={given.name !== '' || given.url !== ''}
            />
            {create.isError && Object.keys(refused).length === 0 && (
              <ErrorBox what={t('No webhook was added')} error={create.error} />
            )}
            <ActionButton type="submit" loading={create.isPending} blockedBy={blockedBy}>
              {t('Add the webhook')}
            </ActionButton>
          </form>
        ) : (
          <SecretOnce secret={create.data.secret} />
        )}
      </div>
    </section>
  )
}
