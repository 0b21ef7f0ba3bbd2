// SPDX-License-Identifier: MIT
import type { Session } from '../../lib/api-types.ts'
import { Gate } from './gate.tsx'
import { PasswordForm } from './password-form.tsx'

export type ChangePasswordScreenProps = { session: Session; onChanged: () => void }

export function ChangePasswordScreen({ session, onChanged }: ChangePasswordScreenProps) {
  return (
    <Gate
      title="Choose your password"
      intro={
        <>
          The password you signed in with was made for one use. Choose your own,{' '}
          <strong>{session.user.username}</strong>, to go on.
        </>
      }
    >
      <PasswordForm
        currentLabel="One-time password"
        username={session.user.username}
        onChanged={onChanged}
      />
    </Gate>
  )
}
