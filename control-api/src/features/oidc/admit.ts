// SPDX-License-Identifier: MIT
// From an identity that the provider vouches for to a user here: found, made, or turned away.
import type { Role } from '../../access/roles.ts'
import type { Unit } from '../../audit/write.ts'
import type { OidcConfig } from '../../environment/oidc.ts'
import { NO_PASSWORD } from '../../people/passwords.ts'
import { endSessions } from '../../people/session-store.ts'
import { createUserStore, insertUser, type User, updateUser } from '../../people/user-store.ts'
import type { Identity } from './provider.ts'
import { type OidcProblem, rolesOf, usernames } from './rules.ts'
import {
  findIdentity,
  type IdentityRow,
  identityOfUser,
  insertIdentity,
  noteSignIn,
} from './store.ts'

export type Admitted = { ok: true; userId: string } | { ok: false; problem: OidcProblem }
type Arrival = { identity: Identity; rolesOfGroup: OidcConfig['rolesOfGroup']; nowMs: number }

/** What it writes stands also for who is turned away: a group that was lost is lost at once. */
export async function admit(unit: Unit, arrival: Arrival): Promise<Admitted> {
  const { identity, rolesOfGroup, nowMs } = arrival
  const roles = rolesOf(identity.groups, rolesOfGroup)
  const row = await findIdentity(unit.trx, identity)
  const user = row && (await createUserStore(unit.trx).byId(row.user_id))
  if (!row || !user) return await admitNew(unit, arrival, roles)
  if (row.origin === 'made') await follow(unit, user, roles)
  if (user.disabled) return { ok: false, problem: 'oidc_account_disabled' }
  if (row.origin === 'made' && roles.length === 0) return { ok: false, problem: 'oidc_no_role' }
  await noteSignIn(unit, row, nowMs)
  return { ok: true, userId: user.id }
}

async function admitNew(
  unit: Unit,
  { identity, nowMs }: Arrival,
  roles: Role[],
): Promise<Admitted> {
  if (roles.length === 0) return { ok: false, problem: 'oidc_no_role' }
  const username = await freeName(unit, identity.names)
  const { id } = await insertUser(unit, {
    ...{ username, roles, passwordHash: NO_PASSWORD },
    isOneTime: false,
    nowMs,
  })
  await insertIdentity(unit, {
    ...{ issuer: identity.issuer, subject: identity.subject, user_id: id },
    ...{ origin: 'made', created_at_ms: nowMs, last_sign_in_at_ms: nowMs },
  })
  await unit.emit({
    kind: 'user',
    id,
    action: 'created',
    data: { username, roles, issuer: identity.issuer, subject: identity.subject },
  })
  return { ok: true, userId: id }
}

async function freeName({ trx }: Unit, names: readonly unknown[]): Promise<string> {
  const users = createUserStore(trx)
  for (const name of usernames(names)) if (!(await users.byUsername(name))) return name
  throw new Error('usernames() ends never')
}

/** The provider's groups are the roles: what changed there holds here, for open sessions as well. */
async function follow(unit: Unit, user: User, roles: Role[]): Promise<void> {
  const before = [...user.roles].sort()
  if (before.join() === roles.join()) return
  await updateUser(unit, user.id, { roles: JSON.stringify(roles), revision: user.revision + 1 })
  await endSessions(unit, user.id)
  await unit.emit({
    kind: 'user',
    id: user.id,
    action: 'changed',
    data: { before: { roles: before }, after: { roles } },
  })
}

type Link = { userId: string; identity: Identity; nowMs: number }

/** A user who has a password signs in with either from now on; the roles stay those given here. */
export async function link(unit: Unit, { userId, identity, nowMs }: Link): Promise<Admitted> {
  const [row, user] = [
    await findIdentity(unit.trx, identity),
    await createUserStore(unit.trx).byId(userId),
  ]
  if (!user || user.disabled) return { ok: false, problem: 'oidc_flow_lost' }
  if (row?.user_id === userId) return { ok: true, userId }
  if (row) return { ok: false, problem: 'oidc_identity_taken' }
  const { issuer, subject } = identity
  const added: IdentityRow = {
    ...{ issuer, subject, user_id: userId, origin: 'linked' },
    ...{ created_at_ms: nowMs, last_sign_in_at_ms: null },
  }
  if (await identityOfUser(unit.trx, added)) return { ok: false, problem: 'oidc_identity_taken' }
  await insertIdentity(unit, added)
  await unit.emit({
    kind: 'user',
    id: userId,
    action: 'identity-linked',
    actor: user.username,
    data: { issuer, subject },
  })
  return { ok: true, userId }
}
