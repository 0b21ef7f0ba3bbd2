// SPDX-License-Identifier: MIT

import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Session } from '../../lib/api-types.ts'
import { setUpMutation, setupQuery } from './api.ts'
import classes from './gate.module.css'
import { Gate } from './gate.tsx'
import { checkSetupFields, MIN_PASSWORD_LENGTH, type SetupFields } from './rules.ts'

export type SetupScreenProps = {
  /** From the link; empty: to be typed. */
  token: string
  onSignedIn: (session: Session) => void
}

export function SetupScreen({ token, onSignedIn }: SetupScreenProps) {
  const setup = useQuery(setupQuery)
  if (setup.data?.required === false) return <SetupDone />
  return (
    <Gate
      title={t('Set up this farm')}
      intro={t(
        'Choose who the first administrator is. The control plane’s console shows the token for it.',
      )}
    >
      <SetupForm token={token} onSignedIn={onSignedIn} />
    </Gate>
  )
}

function SetupDone() {
  return (
    <Gate title={t('The set-up is done')} intro={t('There is an administrator already.')}>
      <Link to="/sign-in" search={{}}>
        {t('Sign in')}
      </Link>
    </Gate>
  )
}

function SetupForm({ token, onSignedIn }: SetupScreenProps) {
  const [fields, setFields] = useState<SetupFields>({
    token,
    username: 'admin',
    password: '',
    repeated: '',
  })
  const [asked, setAsked] = useState(false)
  const setUp = useMutation({ ...setUpMutation, onSuccess: onSignedIn })
  const errors = asked ? checkSetupFields(fields) : {}
  const wrongToken = isApiError(setUp.error) && setUp.error.code === 'wrong_setup_token'

  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(checkSetupFields(fields)).length > 0) return
    const { repeated: _, ...body } = fields
    setUp.mutate(body)
  }
  const input = (field: keyof SetupFields, refused: string | null = null) => ({
    error: errors[field] ?? refused,
    'aria-invalid': errors[field] !== undefined || refused !== null,
    value: fields[field],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [field]: value }))
    },
    errorProps: { role: 'alert' },
  })
  const visibilityToggleButtonProps = { 'aria-label': t('Show this password'), tabIndex: 0 }

  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <TextInput
        label={t('Set-up token')}
        autoComplete="off"
        spellCheck={false}
        {...input(
          'token',
          wrongToken ? t('Not the token. Each start of the control plane prints a new one.') : null,
        )}
      />
      <TextInput
        label={t('User name')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...input('username')}
      />
      <PasswordInput
        label={t('Password')}
        description={t(
          'At least {minPasswordLength} characters of any kind; a few words work well.',
          { minPasswordLength: MIN_PASSWORD_LENGTH },
        )}
        autoComplete="new-password"
        visibilityToggleButtonProps={visibilityToggleButtonProps}
        {...input('password')}
      />
      <PasswordInput
        label={t('Password again')}
        autoComplete="new-password"
        visibilityToggleButtonProps={visibilityToggleButtonProps}
        {...input('repeated')}
      />
      {setUp.isError && !wrongToken && <ErrorBox error={setUp.error} />}
      <Button type="submit" loading={setUp.isPending}>
        {t('Make the administrator')}
      </Button>
    </form>
  )
}
