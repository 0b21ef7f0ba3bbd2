// SPDX-License-Identifier: MIT
import { t } from '../languages/t.ts'
import type { Session } from './api-types.ts'

/** What concerns every node or everybody, so that a scope keeps from it: as docs/permissions.md says. */
export const ofWholeFarm: ReadonlySet<string> = new Set([
  'alerts:write',
  'audit:read',
  'backups:read',
  'backups:write',
  'certificates:write',
  'configs:write',
  'groups:write',
  'releases:write',
  'rollouts:rules',
  'system:metrics',
  'tokens:read',
  'tokens:write',
  'users:read',
  'users:write',
  'webhooks:read',
  'webhooks:write',
])

export const may = (session: Session, permission: string): boolean =>
  whyNot(session, permission) === null

/** Why this session may not do it, in a sentence to stand beside the button; null when it may. */
export function whyNot({ user, permissions }: Session, permission: string): string | null {
  if (!permissions.includes(permission)) {
    const roles = user.roles.join(', ') || t('none')
    return t('Your roles ({roles}) do not allow this. It needs the permission {permission}.', {
      roles,
      permission,
    })
  }
  if (user.scope === null || !ofWholeFarm.has(permission)) return null
  return t('Your roles apply only to nodes with {scope}, and this affects the whole farm.', {
    scope: user.scope,
  })
}
