// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { t } from '../../languages/t.ts'
import { isApiError, toApiError } from '../../lib/api-error.ts'
import type { DraftHandle } from './use-draft.ts'

/** So long a control plane that does not answer may hold somebody back. */
const MAX_WAIT_MS = 3000

/** Leaving for another page saves what is not saved yet; when that fails, one is asked. */
export function LeaveGuard({ draft }: { draft: DraftHandle }) {
  const leaving = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || !draft.dirty) return false
      // Who signs out was asked already; whose session is over finds the text here again.
      if (next.pathname.endsWith('/sign-in')) return false
      const left = await Promise.race([draft.flush(), afterMaxWait()])
      return !left
    },
    enableBeforeUnload: false,
    withResolver: true,
  })
  const { save } = draft
  const isSignedOut = save.kind === 'failed' && isApiError(save.error, 401)
  useEffect(() => {
    // The way to the sign-in is not held up; the text waits in this tab.
    if (isSignedOut) leaving.proceed?.()
  }, [isSignedOut, leaving])
  if (leaving.status !== 'blocked' || isSignedOut) return null
  return (
    <Dialog onClose={leaving.reset} title={t('Your last changes are not saved')}>
      <div className="stack">
        {save.kind === 'failed' && <p>{toApiError(save.error).message}</p>}
        {save.kind === 'conflict' && (
          <p>{t('Somebody else has changed the draft: choose first.')}</p>
        )}
        <p>
          {t(
            'They are kept in this tab: come back to this config here, and they are saved. With the tab they are lost.',
          )}
        </p>
        <DialogActions leave={t('Stay here')}>
          <Button variant="danger-filled" onClick={leaving.proceed}>
            {t('Leave anyway')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

const afterMaxWait = () =>
  new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), MAX_WAIT_MS)
  })
