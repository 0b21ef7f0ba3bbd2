// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Backup } from '../../lib/api-types.ts'
import { backupsKey, deleteBackupMutation } from './api.ts'

export function DeleteBackupDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    ...deleteBackupMutation,
    onSuccess: async () => {
      await client.invalidateQueries(backupsKey)
      onClose()
    },
  })
  return (
    <DeleteDialog
      title={t('Delete a backup')}
      action={t('Delete 1 backup')}
      removal={remove}
      onSure={() => remove.mutate(backup.id)}
      onClose={onClose}
    >
      <p>
        <T
          text="{fileName}, made {createdAt}, goes with its file. Copies of it elsewhere stay."
          fileName={<code>{backup.fileName}</code>}
          createdAt={<TimeAgo at={backup.createdAt} />}
        />
      </p>
    </DeleteDialog>
  )
}
