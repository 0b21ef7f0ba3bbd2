// SPDX-License-Identifier: MIT
// Somebody was faster: what one decided on is not what is there.

import { Button } from '@mantine/core'
import { t } from '../languages/t.ts'
import { Notice } from './notice.tsx'

type Props = { what: string; onReload: () => void }

export function ChangedMeanwhile({ what, onReload }: Props) {
  return (
    <Notice
      tone="warn"
      live
      title={t('Someone else has changed {what}', { what })}
      action={
        <Button variant="default" size="xs" onClick={onReload}>
          {t('Reload')}
        </Button>
      }
    >
      {t(
        'Nothing was saved. Reload it to see what is there now. What you typed here will be discarded.',
      )}
    </Notice>
  )
}
