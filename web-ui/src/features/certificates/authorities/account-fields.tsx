// SPDX-License-Identifier: MIT
// What a new authority and one that is changed have in common.

import { PasswordInput, TextInput } from '@mantine/core'
import { t } from '../../../languages/t.ts'
import { PemField } from '../pem-field.tsx'
import classes from './authorities.module.css'
import type { AuthorityDraft, AuthorityTroubles } from './rules.ts'

type Account = Pick<AuthorityDraft, 'contact' | 'trustedRoots' | 'keyId' | 'hmacKey'>

type Props = {
  draft: Account
  trouble: AuthorityTroubles
  /** How one comes by it; null: the authority wants none. */
  externalAccount: string | null
  /** null: it is a public one. */
  roots: string | null
  /** Below each of the two, what takes away what is set. */
  removal?: { externalAccount: React.ReactNode; roots: React.ReactNode }
  onChange: (change: Partial<Account>) => void
}

export function AccountFields(props: Props) {
  const { draft, trouble, externalAccount, roots, removal, onChange } = props
  return (
    <>
      <TextInput
        label={t('Contact (optional)')}
        description={t(
          'E-mail addresses that the authority may write to, with blanks or commas between',
        )}
        placeholder={t('ops@example.org')}
        value={draft.contact}
        error={trouble.contact ?? null}
        spellCheck={false}
        autoCapitalize="off"
        onChange={({ currentTarget: { value } }) => onChange({ contact: value })}
      />
      {externalAccount !== null && (
        <fieldset className={classes.group}>
          <legend>{t('External account')}</legend>
          <p className="dim">
            {t('{externalAccount} The key is sealed at once, and never shown again.', {
              externalAccount,
            })}
          </p>
          <div className={classes.pair}>
            <TextInput
              label={t('Key id')}
              value={draft.keyId}
              error={trouble.externalAccount ?? null}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget: { value } }) => onChange({ keyId: value })}
            />
            <PasswordInput
              label={t('HMAC key')}
              value={draft.hmacKey}
              autoComplete="off"
              onChange={({ currentTarget: { value } }) => onChange({ hmacKey: value })}
              visibilityToggleButtonProps={{ 'aria-label': t('Show the HMAC key'), tabIndex: 0 }}
            />
          </div>
          {removal?.externalAccount}
        </fieldset>
      )}
      {roots !== null && (
        <div className={classes.group}>
          <PemField
            label={t('Trusted roots (optional)')}
            description={roots}
            value={draft.trustedRoots}
            trouble={trouble.trustedRoots === undefined ? [] : [trouble.trustedRoots]}
            onChange={(trustedRoots) => onChange({ trustedRoots })}
          />
          {removal?.roots}
        </div>
      )}
    </>
  )
}
