// SPDX-License-Identifier: MIT
// What every change of a user has in common: who may make it, and that an administrator is left.
import type { Role } from '../../access/roles.ts'
import { NotSignedIn } from '../../api-shapes/errors.ts'
import type { Unit } from '../../audit/write.ts'
import type { SignedInUser } from '../../http/app-types.ts'
import { createUserStore, type User } from '../../people/user-store.ts'
import { BeyondYours, LastAdmin, UserNotFound } from './errors.ts'
import { beyond, isFarmAdmin } from './rules.ts'
import { farmAdminExists } from './store.ts'

/** Every route here is behind the access check. */
export function actorOf({ user }: { user: SignedInUser | null }): SignedInUser {
  if (!user) throw new NotSignedIn()
  return user
}

async function findUser({ trx }: Unit, id: string): Promise<User> {
  const user = await createUserStore(trx).byId(id)
  if (!user) throw new UserNotFound(id)
  return user
}

export function requireCover(actor: SignedInUser, roles: readonly Role[]): void {
  const missing = beyond(actor.permissions, roles)
  if (missing.length > 0) throw new BeyondYours(missing)
}

/** The user as they are when the transaction ends; what is refused leaves nothing behind. */
export async function changeUser(
  unit: Unit,
  { actor, id }: { actor: SignedInUser; id: string },
  change: (user: User) => Promise<void>,
): Promise<User | null> {
  const before = await findUser(unit, id)
  requireCover(actor, before.roles)
  await change(before)
  if (isFarmAdmin(before) && !(await farmAdminExists(unit))) throw new LastAdmin(before.username)
  return createUserStore(unit.trx).byId(id)
}
