// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import type { User } from '../../lib/api-types.ts'
import {
  resetPasswordMutation,
  resetSecondFactorMutation,
  updateUserMutation,
  usersQuery,
} from './api.ts'
import { OneTimePasswordDialog } from './new-user-dialog.tsx'
import { type StandingFields, StandingInputs, standingOf } from './standing-fields.tsx'

type Props = { user: User; isSelf: boolean; onClose: () => void }

export function EditUserDialog({ user, isSelf, onClose }: Props) {
  const client = useQueryClient()
  const { id, username, disabled } = user
  const [fields, setFields] = useState<StandingFields>({
    roles: user.roles,
    scope: user.scope ?? '',
  })
  const renew = () => client.invalidateQueries({ queryKey: usersQuery.queryKey })
  const close = async () => {
    await renew()
    onClose()
  }
  const update = useMutation({ ...updateUserMutation, onSuccess: close })
  const reset = useMutation({ ...resetPasswordMutation, onSuccess: renew })
  const resetFactor = useMutation({ ...resetSecondFactorMutation, onSuccess: close })
  const error = update.error ?? reset.error ?? resetFactor.error

  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (fields.roles.length > 0) update.mutate({ id, body: standingOf(fields) })
  }
  if (reset.data) {
    const { oneTimePassword } = reset.data
    return (
      <OneTimePasswordDialog username={username} password={oneTimePassword} onClose={onClose} />
    )
  }
  const ownAccount = isSelf ? 'Your own is under Security.' : null
  return (
    <Dialog onClose={onClose} title={`Change ${username}`}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <p>What you do here ends the sessions of {isSelf ? 'your account' : username}.</p>
        <StandingInputs
          fields={fields}
          rolesError={fields.roles.length === 0 ? 'Choose one or more.' : null}
          onChange={setFields}
        />
        {error && <ErrorBox what="Not changed" error={error} />}
        <DialogActions>
          <Button type="submit" loading={update.isPending}>
            Save roles and scope
          </Button>
        </DialogActions>
        <div className="row">
          <Button
            variant="default"
            loading={update.isPending}
            onClick={() => update.mutate({ id, body: { disabled: !disabled } })}
          >
            {disabled ? 'Enable' : 'Disable'}
          </Button>
          <ActionButton
            variant="default"
            blockedBy={ownAccount}
            loading={reset.isPending}
            onClick={() => reset.mutate(id)}
          >
            Reset password
          </ActionButton>
          {user.secondFactor && (
            <ActionButton
              variant="default"
              blockedBy={ownAccount}
              loading={resetFactor.isPending}
              onClick={() => resetFactor.mutate(id)}
            >
              Remove second factor
            </ActionButton>
          )}
        </div>
      </form>
    </Dialog>
  )
}
