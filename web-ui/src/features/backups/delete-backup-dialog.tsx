// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
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
    <Dialog onClose={onClose} title="Delete a backup">
      <div className="stack">
        <p>
          <code>{backup.fileName}</code>, made <TimeAgo at={backup.createdAt} />, goes with its
          file. Copies of it elsewhere stay.
        </p>
        {remove.isError && <ErrorBox what="Not deleted" error={remove.error} />}
        <DialogActions>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate(backup.id)}>
            Delete 1 backup
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
