// SPDX-License-Identifier: MIT

export const MIN_PASSWORD_LENGTH = 12

export type PasswordFields = { current: string; next: string; repeated: string }
export type PasswordErrors = { [Field in keyof PasswordFields]?: string }

export function checkPasswordFields({ current, next, repeated }: PasswordFields): PasswordErrors {
  const errors: PasswordErrors = {}
  if (current === '') errors.current = 'Enter the password you signed in with.'
  // Counted as the API counts: in code points.
  const length = [...next].length
  if (length < MIN_PASSWORD_LENGTH) {
    errors.next = `At least ${MIN_PASSWORD_LENGTH} characters; this has ${length}.`
  } else if (next === current) {
    errors.next = 'Choose another one than the password you have.'
  }
  if (repeated !== next) errors.repeated = 'This differs from the new password.'
  return errors
}

/** Only a path within the console may be gone back to after signing in. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/') || next.startsWith('//')) return '/'
  return next.includes('\\') ? '/' : next
}
