// SPDX-License-Identifier: MIT
// For a form that saves nothing by itself: who leaves it with something typed is asked first.

import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { t } from '../languages/t.ts'
import { Dialog, DialogActions } from './dialog.tsx'

/** `what`: is not saved, as in "The override of edge-1". */
export function UnsavedGuard({ what, isUnsaved }: { what: string; isUnsaved: boolean }) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      if (!isUnsaved || current.pathname === next.pathname) return false
      // Whose session is over has no choice.
      return !next.pathname.endsWith('/sign-in')
    },
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  })
  if (leaving.status !== 'blocked') return null
  return (
    <Dialog onClose={leaving.reset} title={t('{what} is not saved', { what })}>
      <div className="stack">
        <p>{t('What you typed will be lost when you leave.')}</p>
        <DialogActions leave={t('Stay here')}>
          <Button variant="danger-filled" onClick={leaving.proceed}>
            {t('Leave and discard it')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
