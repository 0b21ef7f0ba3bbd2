// SPDX-License-Identifier: MIT
// Who may change whom.

import { type Permission, permissionsOf } from '../../access/permissions.ts'
import type { Role } from '../../access/roles.ts'
import { formatSelector, parseSelector } from '../../labels/selector.ts'
import { BadScope } from './errors.ts'

type Standing = { roles: readonly Role[]; scope: string | null; disabled: boolean }

/** There is always one of them: who could let the others in again. */
export const isFarmAdmin = ({ roles, scope, disabled }: Standing): boolean =>
  !disabled && scope === null && roles.includes('admin')

/** What these roles carry beyond the permissions of who gives them. No token carries session:own. */
export function beyond(permissions: readonly Permission[], roles: readonly Role[]): Permission[] {
  return permissionsOf(roles).filter(
    (permission) => permission !== 'session:own' && !permissions.includes(permission),
  )
}

/** The one spelling; a selector that matches every node is no scope. Throws BadScope. */
export function readScope(text: string | null): string | null {
  if (text === null) return null
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new BadScope(parsed.column, parsed.message)
  return formatSelector(parsed.selector) || null
}
