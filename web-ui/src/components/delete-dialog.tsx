// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { t } from '../languages/t.ts'
import { Dialog, DialogActions } from './dialog.tsx'
import { ErrorBox } from './error-box.tsx'

type Props = {
  title: string
  /** What goes with it. */
  children: React.ReactNode
  /** On the button: what is deleted, and how many. */
  action: string
  removal: { isPending: boolean; isError: boolean; error: Error | null }
  onSure: () => void
  onClose: () => void
}

/** Whether one is sure; whose it is that goes is as it was when this was opened (useAsShown). */
export function DeleteDialog({ title, children, action, removal, onSure, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={title}>
      <div className="stack">
        {children}
        {removal.isError && <ErrorBox what={t('Not deleted')} error={removal.error} />}
        <DialogActions>
          <Button variant="danger-filled" loading={removal.isPending} onClick={onSure}>
            {action}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
