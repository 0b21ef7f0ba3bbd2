// SPDX-License-Identifier: MIT
import { Button, type ButtonProps } from '@mantine/core'
import { useId } from 'react'
import classes from './action-button.module.css'

export type ActionButtonProps = ButtonProps & {
  /** Why it can't be pressed now, as a sentence beside it; null when it can. */
  blockedBy: string | null
  onClick?: () => void
  type?: 'button' | 'submit'
}

/** A button that, when it is off, says why in text and not only in a tooltip. */
export function ActionButton({ blockedBy, type = 'button', ...props }: ActionButtonProps) {
  const reasonId = useId()
  return (
    <div className={classes.action}>
      <Button
        {...props}
        type={type}
        disabled={blockedBy !== null}
        aria-describedby={blockedBy === null ? undefined : reasonId}
      />
      {blockedBy !== null && (
        <span id={reasonId} className={classes.reason}>
          {blockedBy}
        </span>
      )}
    </div>
  )
}
