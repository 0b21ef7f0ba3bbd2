// SPDX-License-Identifier: MIT
// Where one looks for it: the lists, and the pages that have nothing to show yet.

import type { ButtonProps } from '@mantine/core'
import { t } from '../languages/t.ts'
import type { Session } from '../lib/api-types.ts'
import { whyNot } from '../lib/permissions.ts'
import { ActionButton } from './action-button.tsx'
import { ButtonLink } from './links.tsx'

type Props = {
  session: Session
  /** Filled in already; left out: it is chosen there. */
  config?: string | undefined
  selector?: string | undefined
} & Pick<ButtonProps, 'variant' | 'size'> & { 'aria-label'?: string }

export function NewRolloutButton({ session, config, selector, ...button }: Props) {
  const blockedBy = whyNot(session, 'rollouts:run')
  if (blockedBy !== null) {
    return (
      <ActionButton {...button} blockedBy={blockedBy}>
        {t('New rollout')}
      </ActionButton>
    )
  }
  return (
    <ButtonLink
      {...button}
      to="/rollouts/new"
      search={{
        ...(config !== undefined && { config }),
        ...(selector !== undefined && selector !== '' && { selector }),
      }}
    >
      {t('New rollout')}
    </ButtonLink>
  )
}
