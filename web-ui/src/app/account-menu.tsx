// SPDX-License-Identifier: MIT
import { Button, Popover, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { signOutMutation } from '../features/session/api.ts'
import { toApiError } from '../lib/api-error.ts'
import classes from './shell.module.css'

export type AccountMenuProps = { username: string; onSignedOut: () => void }

export function AccountMenu({ username, onSignedOut }: AccountMenuProps) {
  const signOut = useMutation({ ...signOutMutation, onSuccess: onSignedOut })
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Popover position="bottom-end" width={248} trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button variant="default" size="xs" aria-label={`Account of ${username}`}>
          {username}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.account} aria-label="Account">
        <span id="scheme-label" className="dim">
          Appearance
        </span>
        <SegmentedControl
          aria-labelledby="scheme-label"
          fullWidth
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
        <Button
          variant="default"
          size="xs"
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          Sign out
        </Button>
        {signOut.isError && (
          <p role="alert" className={classes.accountError}>
            Not signed out. {toApiError(signOut.error).message}
          </p>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
