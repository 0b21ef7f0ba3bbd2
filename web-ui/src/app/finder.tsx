// SPDX-License-Identifier: MIT
// The way to everything by keyboard: the field in the header that opens the palette, and the keys of the whole console. The palette
// itself is loaded when it is asked for.

import { UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { t } from '../languages/t.ts'
import type { Session } from '../lib/api-types.ts'
import { part } from '../lib/load-chunk.ts'
import { isMac, useKeys } from './keys/use-keys.ts'
import classes from './shell.module.css'

const Palette = lazy(
  part(() => import('./palette/palette.tsx').then((m) => ({ default: m.Palette }))),
)
const KeysDialog = lazy(
  part(() => import('./keys/keys-dialog.tsx').then((m) => ({ default: m.KeysDialog }))),
)
const NewConfigDialog = lazy(
  part(() =>
    import('../features/configs/new-config-dialog.tsx').then((m) => ({
      default: m.NewConfigDialog,
    })),
  ),
)

type Open = 'palette' | 'keys' | 'new-config' | null

export function Finder({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>(null)
  const [sought, setSought] = useState('')
  const navigate = useNavigate()
  const close = () => {
    setOpen(null)
    setSought('')
  }
  useKeys({
    onKeys: (doing) => {
      if (doing.kind === 'go') void navigate({ to: doing.to })
      else setOpen(doing.kind === 'find' ? 'palette' : 'keys')
    },
    // Who knows what they look for types on while the field is on its way.
    onAhead: open === 'palette' ? (key) => setSought((now) => now + key) : null,
  })
  return (
    <>
      <UnstyledButton
        className={classes.finder ?? ''}
        aria-keyshortcuts="Control+K Meta+K /"
        aria-haspopup="dialog"
        onClick={() => setOpen('palette')}
      >
        <IconSearch size={16} aria-hidden="true" />
        <span>{t('Find')}</span>
        <kbd>{isMac() ? '⌘ K' : 'Ctrl K'}</kbd>
      </UnstyledButton>
      <Suspense>
        {open === 'palette' && (
          <Palette
            session={session}
            typed={sought}
            onType={setSought}
            showKeys={() => setOpen('keys')}
            newConfig={() => setOpen('new-config')}
            onClose={close}
          />
        )}
        {open === 'keys' && <KeysDialog onClose={close} />}
        {open === 'new-config' && <NewConfigDialog onClose={close} />}
      </Suspense>
    </>
  )
}
