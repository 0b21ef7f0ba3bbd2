// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAsShown } from '../../hooks/use-as-shown.ts'
import { t } from '../../languages/t.ts'
import type { Webhook, WebhookDelivery } from '../../lib/api-types.ts'
import {
  deleteWebhookMutation,
  patchWebhookMutation,
  rotateSecretMutation,
  testWebhookMutation,
} from './api.ts'
import { failureWords } from './rules.ts'
import { SecretOnce } from './secret-notice.tsx'

type Props = { webhook: Webhook; etag: string; blockedBy: string | null; onDeleted: () => void }

export function WebhookActions({ webhook, etag, blockedBy, onDeleted }: Props) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['webhooks'] })
  const [deleting, setDeleting] = useState(false)
  const test = useMutation({ ...testWebhookMutation, onSuccess })
  const rotate = useMutation({ ...rotateSecretMutation, onSuccess })
  const patch = useMutation({ ...patchWebhookMutation, onSuccess })
  const { id, disabledAt } = webhook
  const failed = [test, rotate, patch].find(({ isError }) => isError)
  return (
    <section className="panel" aria-label={t('What can be done')}>
      <div className="panel-body stack">
        <div className="row">
          <ActionButton
            blockedBy={blockedBy}
            loading={test.isPending}
            onClick={() => test.mutate(id)}
          >
            {t('Send a test')}
          </ActionButton>
          {blockedBy === null && (
            <>
              <Button
                variant="default"
                loading={patch.isPending}
                onClick={() => patch.mutate({ id, etag, disabled: disabledAt === null })}
              >
                {disabledAt === null ? t('Disable') : t('Enable, from now on')}
              </Button>
              <Button
                variant="default"
                loading={rotate.isPending}
                onClick={() => rotate.mutate(id)}
              >
                {t('Make a new secret')}
              </Button>
              <Button variant="danger" onClick={() => setDeleting(true)}>
                {t('Delete')}
              </Button>
            </>
          )}
        </div>
        {failed && <ErrorBox what={t('Not done')} error={failed.error} />}
        {test.data && <Tested delivery={test.data} />}
        {rotate.data && (
          <>
            <p>
              {t(
                'For a day every message carries two signatures: with the old secret and this one.',
              )}
            </p>
            <SecretOnce secret={rotate.data.secret} />
          </>
        )}
      </div>
      {deleting && (
        <DeleteWebhookDialog
          webhook={webhook}
          etag={etag}
          onDeleted={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </section>
  )
}

function Tested({ delivery }: { delivery: WebhookDelivery }) {
  const { delivered, status, durationMs, error, response } = delivery
  return (
    <Notice
      tone={delivered ? 'good' : 'bad'}
      live
      title={
        delivered
          ? t('It answered {status} after {durationMs} ms', { status, durationMs })
          : t('The test failed')
      }
    >
      {error !== null && failureWords(error)}
      {response !== '' && <div className="dim">{response}</div>}
    </Notice>
  )
}

type DeleteProps = Omit<Props, 'blockedBy'> & { onClose: () => void }

function DeleteWebhookDialog({ onDeleted, onClose, ...opened }: DeleteProps) {
  // Whose address is asked about is whose is deleted.
  const { webhook, etag } = useAsShown(opened).shown
  const client = useQueryClient()
  const remove = useMutation({
    ...deleteWebhookMutation,
    onSuccess: () => {
      client.removeQueries({ queryKey: ['webhooks', 'one', webhook.id] })
      void client.invalidateQueries({ queryKey: ['webhooks', 'list'] })
      onDeleted()
    },
  })
  return (
    <DeleteDialog
      title={t('Delete the webhook')}
      action={t('Delete 1 webhook')}
      removal={remove}
      onSure={() => remove.mutate({ id: webhook.id, etag })}
      onClose={onClose}
    >
      <p>
        {t(
          '{url} is told nothing any more, also not what waits now. Its secret and its log go with it.',
          { url: webhook.url },
        )}
      </p>
    </DeleteDialog>
  )
}
