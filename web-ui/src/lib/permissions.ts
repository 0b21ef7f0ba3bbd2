// SPDX-License-Identifier: MIT
import type { Session } from './api-types.ts'

/** Why this session may not do it, in a sentence to stand beside the button; null when it may. */
export function whyNot(session: Session, permission: string): string | null {
  if (session.permissions.includes(permission)) return null
  const roles = session.user.roles.join(', ') || 'none'
  return `Your roles (${roles}) do not allow this. It needs the permission ${permission}.`
}
