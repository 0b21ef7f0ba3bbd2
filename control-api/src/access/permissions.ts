// SPDX-License-Identifier: MIT
// Who may do what: the one table. Routes name a permission; roles carry permissions.
import type { Role } from './roles.ts'

const read = [
  'session:own',
  'nodes:read',
  'configs:read',
  'rollouts:read',
  'metrics:read',
  'events:read',
  'system:read',
  'system:metrics',
  'groups:read',
  'certificates:read',
  'alerts:read',
  'releases:read',
  'tokens:own',
] as const
const oversight = ['audit:read', 'users:read', 'tokens:read', 'webhooks:read'] as const
const everything = [
  ...read,
  ...oversight,
  'nodes:write',
  'nodes:enrol',
  'configs:write',
  'releases:write',
  'groups:write',
  'certificates:write',
  'requests:read',
  'requests:clients',
  'rollouts:run',
  'rollouts:approve',
  'rollouts:emergency',
  'rollouts:rules',
  'users:write',
  'tokens:write',
  'webhooks:write',
  'alerts:handle',
  'alerts:write',
  'backups:read',
  'backups:write',
] as const

export type Permission = (typeof everything)[number]
/** public: nobody signs in for it. agent: a node's credential, on the agent listener only. */
export type Access = Permission | 'public' | 'agent'

export const rolePermissions: Record<Role, readonly Permission[]> = {
  viewer: read,
  auditor: [...read, ...oversight],
  approver: [...read, 'rollouts:approve'],
  editor: [...read, 'configs:write', 'releases:write'],
  operator: [
    ...read,
    'requests:read',
    'rollouts:run',
    'nodes:write',
    'nodes:enrol',
    'groups:write',
    'certificates:write',
    'alerts:handle',
    'alerts:write',
  ],
  admin: everything,
}

export function permissionsOf(roles: readonly Role[]): Permission[] {
  return [...new Set(roles.flatMap((role) => rolePermissions[role]))].sort()
}
