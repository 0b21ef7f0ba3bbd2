// SPDX-License-Identifier: MIT

import { t } from '../../languages/t.ts'

export const MIN_PASSWORD_LENGTH = 12

export type PasswordFields = { current: string; next: string; repeated: string }
export type PasswordErrors = { [Field in keyof PasswordFields]?: string }

export function checkPasswordFields({ current, next, repeated }: PasswordFields): PasswordErrors {
  const errors: PasswordErrors = {}
  if (current === '') errors.current = t('Enter the password you signed in with.')
  const tooShort = whyTooShort(next)
  if (tooShort !== null) errors.next = tooShort
  else if (next === current) errors.next = t('Choose another one than the password you have.')
  if (repeated !== next) errors.repeated = t('This differs from the new password.')
  return errors
}

/** Counted as the API counts: in code points. */
function whyTooShort(password: string): string | null {
  const { length } = [...password]
  if (length >= MIN_PASSWORD_LENGTH) return null
  return t('At least {minPasswordLength} characters; this has {length}.', {
    minPasswordLength: MIN_PASSWORD_LENGTH,
    length,
  })
}

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
/** null: it is one. */
export const whyNoUsername = (username: string): string | null =>
  USERNAME.test(username)
    ? null
    : t('Letters, digits, ".", "_", "@" and "-", beginning with a letter or digit; at most 64.')

export type SetupFields = { token: string; username: string; password: string; repeated: string }
export type SetupErrors = { [Field in keyof SetupFields]?: string }

export function checkSetupFields(fields: SetupFields): SetupErrors {
  const errors: SetupErrors = {}
  if (fields.token === '') errors.token = t('Enter the token from the control plane’s console.')
  const badName = whyNoUsername(fields.username)
  if (badName !== null) errors.username = badName
  const tooShort = whyTooShort(fields.password)
  if (tooShort !== null) errors.password = tooShort
  if (fields.repeated !== fields.password) errors.repeated = t('This differs from the password.')
  return errors
}

/** Only a path within the console may be gone back to after signing in. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/') || next.startsWith('//')) return '/'
  return next.includes('\\') ? '/' : next
}
