// SPDX-License-Identifier: MIT
// Somebody was faster: what one decided on is not what is there.
import { Button } from '@mantine/core'
import { Notice } from './notice.tsx'

type Props = { what: string; onReload: () => void }

export function ChangedMeanwhile({ what, onReload }: Props) {
  return (
    <Notice
      tone="warn"
      live
      title={`Someone else has changed ${what} meanwhile`}
      action={
        <Button variant="default" size="xs" onClick={onReload}>
          Read it again
        </Button>
      }
    >
      Nothing was saved. Read it again to see what it is now; what you have typed here goes.
    </Notice>
  )
}
