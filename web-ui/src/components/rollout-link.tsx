// SPDX-License-Identifier: MIT
// The way from a version to its rollout, wherever a version stands. It opens the order, prepared: nothing is rolled out before
// somebody starts it there.

import type { ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../languages/t.ts'
import type { Session } from '../lib/api-types.ts'
import { may, whyNot } from '../lib/permissions.ts'
import { ActionButton } from './action-button.tsx'
import { ButtonLink } from './links.tsx'

export type OfVersion = {
  config: string
  version: number
  /** The newest there is: an older one is a way back from it. null: not known yet. */
  latest: number | null
  /** Only for nodes with these labels; left out: for all that the config goes to. */
  selector?: string | undefined
}

const isOld = ({ version, latest }: OfVersion) => latest !== null && version < latest
const labelOf = (of: OfVersion) =>
  isOld(of)
    ? t('Back to v{version}', { version: of.version })
    : t('New rollout of v{version}', { version: of.version })

const searchOf = (of: OfVersion) => ({
  config: of.config,
  version: of.version,
  ...(of.selector !== undefined && of.selector !== '' && { selector: of.selector }),
  ...(isOld(of) && of.latest !== null && { backFrom: of.latest }),
})

type Props = OfVersion & { session: Session } & Pick<ButtonProps, 'variant'>

export function RolloutButton({ session, variant = 'filled', ...of }: Props) {
  const blockedBy = whyNot(session, 'rollouts:run')
  if (blockedBy === null) {
    return (
      <ButtonLink variant={variant} to="/rollouts/new" search={searchOf(of)}>
        {labelOf(of)}
      </ButtonLink>
    )
  }
  return (
    <ActionButton variant={variant} blockedBy={blockedBy}>
      {labelOf(of)}
    </ActionButton>
  )
}

/** The same in a row of a list. Who may not sees the reason on the version's page, not in each row. */
export function RolloutLink({ session, ...of }: OfVersion & { session: Session }) {
  if (!may(session, 'rollouts:run')) return <span className="dim">–</span>
  return (
    <Link to="/rollouts/new" search={searchOf(of)} className="nowrap">
      {labelOf(of)}
    </Link>
  )
}
