// SPDX-License-Identifier: MIT

import { Button, Checkbox, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import { changePasswordMutation } from './api.ts'
import classes from './gate.module.css'
import { checkPasswordFields, MIN_PASSWORD_LENGTH, type PasswordFields } from './rules.ts'

export type PasswordFormProps = {
  currentLabel: string
  username: string
  onChanged: () => void
}

const empty: PasswordFields = { current: '', next: '', repeated: '' }

export function PasswordForm({ currentLabel, username, onChanged }: PasswordFormProps) {
  const [fields, setFields] = useState(empty)
  const [revokeTokens, setRevokeTokens] = useState(false)
  const [asked, setAsked] = useState(false)
  const change = useMutation({
    ...changePasswordMutation,
    onSuccess: () => {
      setFields(empty)
      setAsked(false)
      onChanged()
    },
  })
  const errors = asked ? checkPasswordFields(fields) : {}
  const wrongCurrent = isApiError(change.error) && change.error.code === 'wrong_credentials'

  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(checkPasswordFields(fields)).length > 0) return
    change.mutate({ currentPassword: fields.current, newPassword: fields.next, revokeTokens })
  }
  const input = (field: keyof PasswordFields, refused: string | null = null) => ({
    error: errors[field] ?? refused,
    'aria-invalid': errors[field] !== undefined || refused !== null,
    value: fields[field],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [field]: value }))
    },
    errorProps: { role: 'alert' },
    visibilityToggleButtonProps: { 'aria-label': t('Show this password'), tabIndex: 0 },
  })

  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <ul className={classes.rules}>
        <li>
          {t('At least {minPasswordLength} characters of any kind; a few words work well.', {
            minPasswordLength: MIN_PASSWORD_LENGTH,
          })}
        </li>
        <li>{t('Not the password you have now.')}</li>
        <li>{t('Your sessions in other browsers end.')}</li>
      </ul>
      {/* Password managers file the new password under this name. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        label={currentLabel}
        autoComplete="current-password"
        {...input(
          'current',
          wrongCurrent ? t('This is not the password you signed in with.') : null,
        )}
      />
      <PasswordInput label={t('New password')} autoComplete="new-password" {...input('next')} />
      <PasswordInput
        label={t('New password again')}
        autoComplete="new-password"
        {...input('repeated')}
      />
      <Checkbox
        label={t('Revoke my API tokens, too')}
        description={t('When somebody else may have had your password')}
        checked={revokeTokens}
        onChange={(event) => setRevokeTokens(event.currentTarget.checked)}
      />
      {change.isError && !wrongCurrent && <ErrorBox error={change.error} />}
      <Button type="submit" loading={change.isPending}>
        {t('Change password')}
      </Button>
    </form>
  )
}
