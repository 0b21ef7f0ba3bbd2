// SPDX-License-Identifier: MIT
// For the part of a route that needs more than the permission the route asks for.
import type { Permission } from '../access/permissions.ts'
import { NotAllowed, TokenNotAllowed } from '../api-shapes/errors.ts'
import type { SignedInUser } from './app-types.ts'

export function requirePermission(user: SignedInUser | null, permission: Permission): void {
  if (user?.permissions.includes(permission)) return
  if (user?.token) throw new TokenNotAllowed(permission, user.token.name)
  throw new NotAllowed(permission, user?.roles ?? [])
}
