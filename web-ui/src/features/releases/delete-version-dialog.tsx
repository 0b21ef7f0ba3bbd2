// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { t } from '../../languages/t.ts'
import type { ReleaseVersion } from '../../lib/api-types.ts'
import { deleteVersionMutation, releasesKey } from './api.ts'

export type DeleteVersionDialogProps = {
  version: ReleaseVersion
  onClose: () => void
  onDeleted: () => void
}

export function DeleteVersionDialog({
  version: { release: name, number },
  onClose,
  onDeleted,
}: DeleteVersionDialogProps) {
  const client = useQueryClient()
  const removal = useMutation({
    ...deleteVersionMutation,
    onSuccess: async () => {
      onDeleted()
      await client.invalidateQueries(releasesKey)
    },
  })
  return (
    <DeleteDialog
      title={t('Delete {name} v{number}', { name, number })}
      action={t('Delete version')}
      removal={removal}
      onSure={() => removal.mutate({ name, number })}
      onClose={onClose}
    >
      <p>
        {t(
          'Its files go a while later, except those that another version has. Its number is not given again.',
        )}
      </p>
    </DeleteDialog>
  )
}
