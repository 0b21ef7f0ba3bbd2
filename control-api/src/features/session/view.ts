// SPDX-License-Identifier: MIT
// A session as the API shows it.

import { permissionsOf } from '../../access/permissions.ts'
import { IDLE_MS, LONGEST_MS } from '../../people/session-store.ts'
import type { User } from '../../people/user-store.ts'
import type { Session } from './schema.ts'

export type ViewSession = (user: User, signedInAtMs: number) => Session

export const createViewSession =
  (now: () => number): ViewSession =>
  (user, signedInAtMs) => ({
    user: { id: user.id, username: user.username, roles: user.roles, scope: user.scope },
    passwordChangeRequired: user.passwordChangeRequired,
    secondFactor: user.hasSecondFactor,
    permissions: permissionsOf(user.roles),
    expiresAt: new Date(Math.min(now() + IDLE_MS, signedInAtMs + LONGEST_MS)).toISOString(),
  })
