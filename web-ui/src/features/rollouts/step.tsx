// SPDX-License-Identifier: MIT
// One thing that may be done now: its button, and beside it what follows, or why it can't be done.
import { Button } from '@mantine/core'
import { useId } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import classes from './rollout-state.module.css'

type Props = {
  children: React.ReactNode
  consequence: string
  blockedBy: string | null
  isRecommended?: boolean
  isPending?: boolean
  onClick: () => void
  /** Of what was tried last. */
  trouble?: { what: string; error: Error } | null
}

export function Step(props: Props) {
  const { children, consequence, blockedBy, isRecommended = false, isPending = false } = props
  const { onClick, trouble = null } = props
  const id = useId()
  return (
    <li className={classes.step}>
      <Button
        variant={isRecommended && blockedBy === null ? 'filled' : 'default'}
        loading={isPending}
        disabled={blockedBy !== null}
        aria-describedby={id}
        onClick={onClick}
      >
        {children}
      </Button>
      <span id={id} className={blockedBy === null ? undefined : 'dim'}>
        {blockedBy ?? consequence}
      </span>
      {trouble !== null && (
        <div className={classes.trouble}>
          <ErrorBox {...trouble} />
        </div>
      )}
    </li>
  )
}
