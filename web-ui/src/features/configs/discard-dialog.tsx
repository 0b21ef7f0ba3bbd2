// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import type { Config } from '../../lib/api-types.ts'
import { discardDraft } from './api.ts'
import type { DraftHandle } from './use-draft.ts'

export type DiscardDialogProps = { config: Config; draft: DraftHandle; onClose: () => void }

export function DiscardDialog({ config, draft, onClose }: DiscardDialogProps) {
  // What others save while the question is open nobody here has agreed to lose.
  const [etagOfSeen] = useState(() => draft.see())
  const discard = useMutation({
    mutationFn: async () => discardDraft({ name: config.name, etag: await etagOfSeen() }),
    onSuccess: (saved) => {
      draft.replace(saved)
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={t('Discard the draft’s changes')}>
      <div className="stack">
        <p>
          {t(
            'The draft becomes v{latestVersion} again, for everybody who edits it. The nodes do not change. Your text is set aside while this editor is open.',
            { latestVersion: config.latestVersion },
          )}
        </p>
        {discard.isError && <ErrorBox what={t('Not discarded')} error={discard.error} />}
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={discard.isPending}
            onClick={() => discard.mutate()}
          >
            {t('Discard the changes')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
