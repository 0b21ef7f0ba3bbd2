// SPDX-License-Identifier: MIT

import { TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { t } from '../../languages/t.ts'
import classes from './rollouts.module.css'

type Props = { selector: string; onNarrow: (selector: string) => void }

export function NarrowForm({ selector, onNarrow }: Props) {
  const [given, setGiven] = useState(selector)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onNarrow(given.trim())
  }
  return (
    <form className="panel" onSubmit={handleSubmit}>
      <div className={classes.startForm}>
        <TextInput
          label={t('Only to nodes with these labels (optional)')}
          description={t(
            'A selector, as in zone=eu,!canary. Such a rollout releases nothing to new nodes.',
          )}
          spellCheck={false}
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
        />
        <ActionButton
          type="submit"
          variant="default"
          blockedBy={given.trim() === selector ? t('This is what the plan is for.') : null}
        >
          {t('Plan again')}
        </ActionButton>
      </div>
    </form>
  )
}
