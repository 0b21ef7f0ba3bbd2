// SPDX-License-Identifier: MIT
// For what makes another way in to one's account: a session that is open must not be enough.

import { PasswordInput, TextInput } from '@mantine/core'
import { t } from '../languages/t.ts'

export type Proof = { password: string; code: string }
export const noProof: Proof = { password: '', code: '' }

/** As the API takes it: what was left empty is left out. */
export const proofBody = ({ password, code }: Proof) => ({
  ...(password !== '' && { password }),
  ...(code !== '' && { code }),
})

type Props = { proof: Proof; secondFactor: boolean; onProof: (proof: Proof) => void }

export function ProofFields({ proof, secondFactor, onProof }: Props) {
  return (
    <>
      <PasswordInput
        label={t('Your password')}
        description={t('Empty if you have none here and have just signed in')}
        autoComplete="current-password"
        value={proof.password}
        onChange={(event) => onProof({ ...proof, password: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': t('Show the password'), tabIndex: 0 }}
      />
      {secondFactor && (
        <TextInput
          label={t('Code or recovery code')}
          description={t('Empty if you have just signed in with one')}
          autoComplete="one-time-code"
          value={proof.code}
          onChange={(event) => onProof({ ...proof, code: event.currentTarget.value })}
        />
      )}
    </>
  )
}
