// SPDX-License-Identifier: MIT

import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { t } from '../../../languages/t.ts'
import { RecipeDialog } from './recipe-dialog.tsx'
import { recipeSites } from './recipe-sites.ts'

type Props = { text: string; onTake: (text: string) => void }

/** For both views of the text. */
export function RecipeButton({ text, onTake }: Props) {
  const [isOpen, setOpen] = useState(false)
  const sites = recipeSites(text)
  const blockedBy = typeof sites === 'string' ? sites : null
  return (
    <>
      <ActionButton
        size="compact-xs"
        variant="default"
        blockedBy={blockedBy}
        onClick={() => setOpen(true)}
      >
        {t('Add a recipe')}
      </ActionButton>
      {isOpen && typeof sites !== 'string' && (
        <RecipeDialog
          text={text}
          sites={sites}
          onClose={() => setOpen(false)}
          onTake={(next) => {
            setOpen(false)
            onTake(next)
          }}
        />
      )}
    </>
  )
}
