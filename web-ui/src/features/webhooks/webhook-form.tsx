// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import type { NewWebhook } from './api.ts'
import { parseEvents, urlTrouble } from './rules.ts'

export type WebhookFormProps = {
  before: NewWebhook
  submit: string
  pending: boolean
  /** Why it can't be sent now; null when it can. */
  blockedBy: string | null
  onSubmit: (webhook: NewWebhook) => void
}

export function WebhookForm({ before, submit, pending, blockedBy, onSubmit }: WebhookFormProps) {
  const [url, setUrl] = useState(before.url)
  const [description, setDescription] = useState(before.description)
  const [events, setEvents] = useState(before.events.join(' '))
  const [asked, setAsked] = useState(false)
  const parsed = parseEvents(events)
  const trouble = urlTrouble(url)
  const isUnsaved =
    url !== before.url || description !== before.description || events !== before.events.join(' ')
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (trouble === null && parsed.ok) {
      onSubmit({ url: url.trim(), description: description.trim(), events: parsed.events })
    }
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <TextInput
        label={t('Address')}
        description={t(
          'Told by POST, or by mail to a mailto: address. It is shown and recorded: put no secret in it',
        )}
        placeholder="https://hooks.example.org/farmstead"
        value={url}
        maxLength={2048}
        spellCheck={false}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={asked && trouble}
      />
      <TextInput
        label={t('Events')}
        description={t('Kinds or single events, as in rollout node.disconnected; * is every one')}
        value={events}
        spellCheck={false}
        onChange={(event) => setEvents(event.currentTarget.value)}
        error={asked && !parsed.ok ? parsed.message : null}
      />
      <TextInput
        label={t('Description (optional)')}
        value={description}
        maxLength={256}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <UnsavedGuard what={t('The webhook')} isUnsaved={isUnsaved} />
      <div className="row">
        <Button type="submit" loading={pending} disabled={blockedBy !== null}>
          {submit}
        </Button>
        {blockedBy !== null && <span className="dim">{blockedBy}</span>}
      </div>
    </form>
  )
}
