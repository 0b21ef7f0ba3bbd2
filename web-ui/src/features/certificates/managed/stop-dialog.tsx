// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { useAsShown } from '../../../hooks/use-as-shown.ts'
import { t } from '../../../languages/t.ts'
import { readAgain, stopManagingMutation } from './api.ts'

type Props = { name: string; etag: string; onClose: () => void }

export function StopDialog({ onClose, ...opened }: Props) {
  const client = useQueryClient()
  const { name, etag } = useAsShown(opened).shown
  const stop = useMutation({
    ...stopManagingMutation,
    onSuccess: async () => {
      onClose()
      await readAgain(client)
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Stop ordering {name}', { name })}>
      <div className="stack">
        <p>
          {t(
            'It is not renewed any more, and an open order is cancelled. The certificate itself stays, with all its versions, and nodes go on serving it until it ends.',
          )}
        </p>
        {stop.isError && <ErrorBox what={t('It goes on being ordered')} error={stop.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={stop.isPending}
            onClick={() => stop.mutate({ name, etag })}
          >
            {t('Stop ordering it')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
