// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Session } from '../../lib/api-types.ts'
import { Gate } from './gate.tsx'
import { PasswordForm } from './password-form.tsx'

export type ChangePasswordScreenProps = { session: Session; onChanged: () => void }

export function ChangePasswordScreen({ session, onChanged }: ChangePasswordScreenProps) {
  return (
    <Gate
      title={t('Choose your password')}
      intro={
        <T
          text="The password you signed in with was made for one use. Choose your own, {username}, to go on."
          username={<strong>{session.user.username}</strong>}
        />
      }
    >
      <PasswordForm
        currentLabel={t('One-time password')}
        username={session.user.username}
        onChanged={onChanged}
      />
    </Gate>
  )
}
