// SPDX-License-Identifier: MIT

import { Button, Popover, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { LanguageSelect } from '../components/language-select.tsx'
import { signOutMutation } from '../features/session/api.ts'
import { t } from '../languages/t.ts'
import { toApiError } from '../lib/api-error.ts'
import { hasKeptTexts } from '../lib/kept-texts.ts'
import { NotifySwitch } from './notify/notify-switch.tsx'
import classes from './shell.module.css'

export type AccountMenuProps = { username: string; onSignedOut: () => void }

export function AccountMenu({ username, onSignedOut }: AccountMenuProps) {
  const signOut = useMutation({ ...signOutMutation, onSuccess: onSignedOut })
  const [loses, setLoses] = useState(false)
  const handleSignOut = () => {
    const isAsked = loses
    setLoses(hasKeptTexts())
    if (isAsked || !hasKeptTexts()) signOut.mutate()
  }
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Popover position="bottom-end" width={248} trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button variant="default" size="xs" aria-label={t('Account of {username}', { username })}>
          {username}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.account} aria-label={t('Account')}>
        <span id="scheme-label" className="dim">
          {t('Appearance')}
        </span>
        <SegmentedControl
          aria-labelledby="scheme-label"
          fullWidth
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: 'auto', label: t('System') },
            { value: 'light', label: t('Light') },
            { value: 'dark', label: t('Dark') },
          ]}
        />
        <LanguageSelect />
        <NotifySwitch />
        <Button variant="default" size="xs" loading={signOut.isPending} onClick={handleSignOut}>
          {loses ? t('Sign out and discard it') : t('Sign out')}
        </Button>
        {loses && (
          <p role="alert" className={classes.accountError}>
            {t('Your last changes are not saved yet. Signing out discards them.')}
          </p>
        )}
        {signOut.isError && (
          <p role="alert" className={classes.accountError}>
            {t('Not signed out. {message}', { message: toApiError(signOut.error).message })}
          </p>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
