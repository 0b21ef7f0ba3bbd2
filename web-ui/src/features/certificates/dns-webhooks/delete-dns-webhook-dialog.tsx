// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeleteDialog } from '../../../components/delete-dialog.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { deleteDnsWebhookMutation, dnsWebhookQuery, dnsWebhooksQuery } from './api.ts'

type Props = { name: string; etag: string; onClose: () => void; onDeleted: () => void }

export function DeleteDnsWebhookDialog({ onClose, onDeleted, ...opened }: Props) {
  const client = useQueryClient()
  const { name, etag } = useAsShown(opened).shown
  const remove = useMutation({
    ...deleteDnsWebhookMutation,
    onSuccess: () => {
      client.removeQueries({ queryKey: dnsWebhookQuery(name).queryKey })
      void client.invalidateQueries({ queryKey: dnsWebhooksQuery.queryKey })
      onDeleted()
    },
  })
  return (
    <DeleteDialog
      title={t('Delete the DNS webhook {name}', { name })}
      action={t('Delete 1 webhook')}
      removal={remove}
      onSure={() => remove.mutate({ name, etag })}
      onClose={onClose}
    >
      <p>{t('Farmstead stops sending to it, and its secret is deleted.')}</p>
    </DeleteDialog>
  )
}
