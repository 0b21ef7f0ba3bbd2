// SPDX-License-Identifier: MIT
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
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
      title="Delete a backup"
      action="Delete 1 backup"
      removal={remove}
      onSure={() => remove.mutate(backup.id)}
      onClose={onClose}
    >
      <p>
        <code>{backup.fileName}</code>, made <TimeAgo at={backup.createdAt} />, goes with its file.
        Copies of it elsewhere stay.
      </p>
    </DeleteDialog>
  )
}
