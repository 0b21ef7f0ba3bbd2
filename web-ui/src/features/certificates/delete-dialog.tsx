// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { certificatesKey, deleteCertificateMutation } from './api.ts'

type Props = { name: string; etag: string; onClose: () => void; onDeleted: () => void }

export function DeleteCertificateDialog({ name, etag, onClose, onDeleted }: Props) {
  const client = useQueryClient()
  const remove = useMutation({
    ...deleteCertificateMutation,
    onSuccess: async () => {
      onDeleted()
      await client.invalidateQueries(certificatesKey)
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Delete the certificate {name}', { name })}>
      <div className="stack">
        <p>
          {t('All its versions and their keys are deleted. Only a backup can bring them back.')}
        </p>
        {remove.isError && <ErrorBox what={t('Not deleted')} error={remove.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={remove.isPending}
            onClick={() => remove.mutate({ name, etag })}
          >
            {t('Delete certificate')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
