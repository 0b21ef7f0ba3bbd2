// SPDX-License-Identifier: MIT
import { Button, Menu, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { signOutMutation } from '../features/session/api.ts'
import { toApiError } from '../lib/api-error.ts'
import classes from './shell.module.css'

export type AccountMenuProps = { username: string; onSignedOut: () => void; onSettings: () => void }

export function AccountMenu({ username, onSignedOut, onSettings }: AccountMenuProps) {
  const signOut = useMutation({ ...signOutMutation, onSuccess: onSignedOut })
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={248} keepMounted={false}>
      <Menu.Target>
        <Button variant="default" size="xs" aria-label={`Account of ${username}`}>
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.scheme}>
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
        </div>
        <Menu.Divider />
        <Menu.Item onClick={onSettings}>Settings</Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
        {signOut.isError && (
          <p role="alert" className={classes.menuError}>
            Not signed out. {toApiError(signOut.error).message}
          </p>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
