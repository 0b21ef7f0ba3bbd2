// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { User } from '../../lib/api-types.ts'
import {
  resetPasswordMutation,
  resetSecondFactorMutation,
  taggedUserQuery,
  updateUserMutation,
  usersQuery,
} from './api.ts'
import { OneTimePasswordDialog } from './new-user-dialog.tsx'
import { type StandingFields, StandingInputs, standingOf } from './standing-fields.tsx'

type Props = { user: User; isSelf: boolean; onClose: () => void }

export function EditUserDialog({ user: { id, username }, isSelf, onClose }: Props) {
  const client = useQueryClient()
  const tagged = useQuery(taggedUserQuery(id))
  const renew = () => client.invalidateQueries({ queryKey: usersQuery.queryKey })
  const reset = useMutation({ ...resetPasswordMutation, onSuccess: renew })
  if (reset.data) {
    const { oneTimePassword } = reset.data
    return (
      <OneTimePasswordDialog username={username} password={oneTimePassword} onClose={onClose} />
    )
  }
  return (
    <Dialog onClose={onClose} title={t('Change {username}', { username })}>
      <QueryStates query={tagged} what={t('The user')} skeletonRows={4}>
        {({ body, etag }) => (
          <EditForm
            key={etag}
            user={body}
            etag={etag}
            isSelf={isSelf}
            reset={{
              error: reset.error,
              isPending: reset.isPending,
              start: () => reset.mutate(id),
            }}
            onReload={() => void tagged.refetch()}
            onDone={async () => {
              await renew()
              onClose()
            }}
          />
        )}
      </QueryStates>
    </Dialog>
  )
}

type EditFormProps = {
  /** As they were read, and the ETag of just that. */
  user: User
  etag: string
  isSelf: boolean
  reset: { error: Error | null; isPending: boolean; start: () => void }
  onReload: () => void
  onDone: () => Promise<void>
}

function EditForm({ user, etag, isSelf, reset, onReload, onDone }: EditFormProps) {
  const { id, username, disabled } = user
  const [fields, setFields] = useState<StandingFields>({
    roles: user.roles,
    scope: user.scope ?? '',
  })
  const update = useMutation({ ...updateUserMutation, onSuccess: onDone })
  const resetFactor = useMutation({ ...resetSecondFactorMutation, onSuccess: onDone })
  const error = update.error ?? reset.error ?? resetFactor.error
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (fields.roles.length > 0) update.mutate({ id, etag, body: standingOf(fields) })
  }
  const ownAccount = isSelf ? t('Your own is under Security.') : null
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <p>
        {t(
          'What you do here ends the sessions of {username}. Resetting the password or removing the second factor ends API tokens and linked identities, too.',
          { username: isSelf ? t('your account') : username },
        )}
      </p>
      <StandingInputs
        fields={fields}
        rolesError={fields.roles.length === 0 ? t('Choose one or more.') : null}
        onChange={setFields}
      />
      {isApiError(error, 412) ? (
        <ChangedMeanwhile what={username} onReload={onReload} />
      ) : (
        error && <ErrorBox what={t('Not changed')} error={error} />
      )}
      <DialogActions>
        <Button type="submit" loading={update.isPending}>
          {t('Save roles and scope')}
        </Button>
      </DialogActions>
      <div className="row">
        <Button
          variant="default"
          loading={update.isPending}
          onClick={() => update.mutate({ id, etag, body: { disabled: !disabled } })}
        >
          {disabled ? t('Enable') : t('Disable')}
        </Button>
        <ActionButton
          variant="default"
          blockedBy={ownAccount}
          loading={reset.isPending}
          onClick={reset.start}
        >
          {t('Reset password')}
        </ActionButton>
        {user.secondFactor && (
          <ActionButton
            variant="danger"
            blockedBy={ownAccount}
            loading={resetFactor.isPending}
            onClick={() => resetFactor.mutate(id)}
          >
            {t('Remove second factor')}
          </ActionButton>
        )}
      </div>
    </form>
  )
}
