// SPDX-License-Identifier: MIT

import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import { isApiError } from '../../lib/api-error.ts'
import type { Session } from '../../lib/api-types.ts'
import { setupQuery, signInMutation } from './api.ts'
import classes from './gate.module.css'
import { Gate } from './gate.tsx'

export type SignInScreenProps = {
  /** The session ended while someone was at work: say so. */
  returning: boolean
  onSignedIn: (session: Session) => void
  /** Other ways in. */
  children?: React.ReactNode
}

export function SignInScreen({ returning, onSignedIn, children }: SignInScreenProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asked, setAsked] = useState(false)
  const signIn = useMutation({ ...signInMutation, onSuccess: onSignedIn })
  const setup = useQuery(setupQuery)
  const refusal = isApiError(signIn.error, 401) ? signIn.error.code : null
  const wrong = refusal === 'wrong_credentials'
  // Once asked for, it stays: the next attempt needs one as well.
  const [codeAsked, setCodeAsked] = useState(false)
  const needsCode = codeAsked || refusal === 'second_factor_required'

  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    setCodeAsked(needsCode)
    if (username === '' || password === '' || (needsCode && code === '')) return
    signIn.mutate({ username, password, ...(needsCode && { code }) })
  }
  const passwordError =
    asked && password === ''
      ? t('Enter your password.')
      : wrong
        ? t('The user name or the password is wrong.')
        : null

  return (
    <Gate
      title={t('Sign in')}
      intro={returning ? t('Your session has ended. Sign in to go on where you were.') : undefined}
    >
      {setup.data?.required && (
        <Notice tone="info" title={t('Nobody can sign in yet')}>
          <T
            text="Open the set-up link that the control plane printed on its console, or <link>enter the token</link>."
            link={<Link to="/setup" />}
          />
        </Notice>
      )}
      <form className={classes.form} onSubmit={handleSubmit} noValidate>
        <TextInput
          label={t('User name')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={asked && username === '' ? t('Enter your user name.') : null}
        />
        <PasswordInput
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('Show the password'), tabIndex: 0 }}
          error={passwordError}
          aria-invalid={passwordError !== null}
          errorProps={{ role: 'alert' }}
        />
        {needsCode && (
          <TextInput
            label={t('Code')}
            description={t('Six digits of your authenticator app, or a recovery code.')}
            autoComplete="one-time-code"
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={codeError(refusal, codeAsked && code === '')}
            errorProps={{ role: 'alert' }}
          />
        )}
        {signIn.isError && refusal === null && <ErrorBox error={signIn.error} />}
        <Button type="submit" fullWidth loading={signIn.isPending}>
          {t('Sign in')}
        </Button>
      </form>
      {children}
    </Gate>
  )
}

function codeError(refusal: string | null, isMissing: boolean): string | null {
  if (isMissing) return t('Enter the code.')
  if (refusal !== 'wrong_code') return null
  return t('This code is wrong or was already used. Wait for the next one.')
}
