// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
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
    <Dialog onClose={onClose} title={`Delete the DNS webhook ${name}`}>
      <div className="stack">
        <p>Farmstead sends nothing to it any more, and its secret goes.</p>
        {remove.isError && <ErrorBox what="Not deleted" error={remove.error} />}
        <DialogActions>
          <Button loading={remove.isPending} onClick={() => remove.mutate({ name, etag })}>
            Delete webhook
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
