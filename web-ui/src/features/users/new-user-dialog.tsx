// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { createUserMutation, usersQuery } from './api.ts'
import { type StandingFields, StandingInputs, standingOf } from './standing-fields.tsx'

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [username, setUsername] = useState('')
  const [fields, setFields] = useState<StandingFields>({ roles: ['viewer'], scope: '' })
  const [asked, setAsked] = useState(false)
  const create = useMutation({
    ...createUserMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (username === '' || fields.roles.length === 0) return
    create.mutate({ username, ...standingOf(fields) })
  }
  if (create.data) {
    return (
      <OneTimePasswordDialog
        username={create.data.username}
        password={create.data.oneTimePassword}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog onClose={onClose} title={t('Add a user')}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        <TextInput
          label={t('User name')}
          autoComplete="off"
          spellCheck={false}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={asked && username === '' ? t('Enter a user name.') : null}
        />
        <StandingInputs
          fields={fields}
          rolesError={asked && fields.roles.length === 0 ? t('Choose one or more.') : null}
          onChange={setFields}
        />
        {create.isError && <ErrorBox what={t('Not added')} error={create.error} />}
        <DialogActions>
          <Button type="submit" loading={create.isPending}>
            {t('Add the user')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type PasswordProps = { username: string; password: string; onClose: () => void }

export function OneTimePasswordDialog({ username, password, onClose }: PasswordProps) {
  return (
    <Dialog onClose={onClose} title={t('A password for {username}', { username })} shownOnce>
      <div className="stack">
        <p>{t('It is shown this once and is good for signing in and choosing another.')}</p>
        <CopyField label={t('One-time password')} value={password} />
        <DialogActions leave={t('Done')} />
      </div>
    </Dialog>
  )
}
