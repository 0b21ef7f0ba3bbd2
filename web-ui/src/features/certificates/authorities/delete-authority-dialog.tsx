// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { authoritiesQuery, authorityQuery, deleteAuthorityMutation } from './api.ts'

type Props = { name: string; etag: string; onClose: () => void; onDeleted: () => void }

export function DeleteAuthorityDialog({ onClose, onDeleted, ...opened }: Props) {
  const client = useQueryClient()
  const { name, etag } = useAsShown(opened).shown
  const remove = useMutation({
    ...deleteAuthorityMutation,
    onSuccess: () => {
      client.removeQueries({ queryKey: authorityQuery(name).queryKey })
      void client.invalidateQueries({ queryKey: authoritiesQuery.queryKey })
      onDeleted()
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Delete the authority {name}', { name })}>
      <div className="stack">
        <p>
          {t(
            'Nothing more is ordered there, and the key of its account is deleted. Certificates it issued stay.',
          )}
        </p>
        {remove.isError && <ErrorBox what={t('Not deleted')} error={remove.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={remove.isPending}
            onClick={() => remove.mutate({ name, etag })}
          >
            {t('Delete authority')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
