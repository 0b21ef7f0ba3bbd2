// SPDX-License-Identifier: MIT
// Users at rest, and what a signed-in one may do.
import type { Selectable, Updateable } from 'kysely'
import { permissionsOf } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'
import { storedScope } from '../access/scope.ts'
import type { Unit } from '../audit/write.ts'
import { newId } from '../base/ids.ts'
import type { Reader, Trx, UsersTable } from '../db/database.ts'
import type { SignedInUser } from '../http/app-types.ts'

export type User = {
  id: string
  username: string
  passwordHash: string
  roles: Role[]
  /** The one spelling of a label selector; null: the whole farm. */
  scope: string | null
  disabled: boolean
  passwordChangeRequired: boolean
  hasSecondFactor: boolean
  createdAtMs: number
  /** Counts changes by administrators: the ETag. */
  revision: number
  /** Counts recoveries: browsers that were known before are strangers. */
  recoveries: number
}
export type UserStore = ReturnType<typeof createUserStore>

export function createUserStore(db: Reader) {
  const find = async (column: 'id' | 'username', value: string): Promise<User | null> => {
    const row = await db
      .selectFrom('users')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row ? toUser(row) : null
  }
  return {
    byId: (id: string) => find('id', id),
    byUsername: (username: string) => find('username', username),
  }
}

export function toUser(row: Selectable<UsersTable>): User {
  return {
    id: row.id,
    username: row.username,
    passwordHash: row.password_hash,
    roles: JSON.parse(row.roles),
    scope: row.scope,
    disabled: row.disabled === 1,
    passwordChangeRequired: row.password_change_required === 1,
    hasSecondFactor: row.totp_secret !== null,
    createdAtMs: row.created_at_ms,
    revision: row.revision,
    recoveries: row.recoveries,
  }
}

/** What a request by this user may do, when it comes with a session. Not for who is disabled. */
export function signedIn(user: User): SignedInUser {
  const { id, username, roles, passwordChangeRequired } = user
  return {
    ...{ id, username, roles, passwordChangeRequired },
    permissions: permissionsOf(roles),
    scope: storedScope(user.scope),
    token: null,
  }
}

export async function anyUserExists(db: Reader): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

type NewUser = {
  username: string
  passwordHash: string
  roles: readonly Role[]
  scope?: string | null
  /** It was made for them and is good for choosing their own. */
  isOneTime: boolean
  nowMs: number
}

export async function insertUser({ trx }: Unit, user: NewUser): Promise<User> {
  const row = await trx
    .insertInto('users')
    .values({
      id: newId('user'),
      username: user.username,
      password_hash: user.passwordHash,
      roles: JSON.stringify(user.roles),
      scope: user.scope ?? null,
      password_change_required: user.isOneTime ? 1 : 0,
      created_at_ms: user.nowMs,
      password_changed_at_ms: user.isOneTime ? null : user.nowMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toUser(row)
}

type NewPassword = { userId: string; passwordHash: string; nowMs: number }

/** A password the user chose. */
export async function setPassword(unit: Unit, { userId, passwordHash, nowMs }: NewPassword) {
  await updateUser(unit, userId, {
    password_hash: passwordHash,
    password_change_required: 0,
    password_changed_at_ms: nowMs,
  })
}

/** A generated password, good for choosing one's own. */
export async function setOneTimePassword(
  unit: Unit,
  { userId, passwordHash }: Omit<NewPassword, 'nowMs'>,
) {
  await updateUser(unit, userId, { password_hash: passwordHash, password_change_required: 1 })
}

export async function updateUser({ trx }: Unit, userId: string, set: Updateable<UsersTable>) {
  await trx.updateTable('users').set(set).where('id', '=', userId).execute()
}

/** Browsers known before are strangers, and a second factor that was only begun is forgotten. */
export async function countRecovery({ trx }: Unit, userId: string): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ recoveries: eb('recoveries', '+', 1), totp_pending: null }))
    .where('id', '=', userId)
    .execute()
}

/** Browsers known before are strangers to everybody's account; `by` is above every number that was ever counted. */
export async function makeEveryBrowserStrange(trx: Trx, by: number): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ recoveries: eb('recoveries', '+', by) }))
    .execute()
}

/** Histories keep the name. */
export async function deleteUser({ trx }: Unit, userId: string): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', userId).execute()
}

export type TotpRow = Pick<Selectable<UsersTable>, 'totp_secret' | 'totp_pending' | 'totp_step'>

export const totpRow = ({ trx }: Unit, userId: string): Promise<TotpRow> =>
  trx
    .selectFrom('users')
    .select(['totp_secret', 'totp_pending', 'totp_step'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()

export async function replaceRecoveryCodes(
  { trx }: Unit,
  userId: string,
  digests: readonly string[],
): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const rows = digests.map((code_digest) => ({ user_id: userId, code_digest }))
  await trx.insertInto('recovery_codes').values(rows).execute()
}

/** False: there is none such, or it was used. */
export async function useUpRecoveryCode(
  { trx }: Unit,
  userId: string,
  digest: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_digest', '=', digest)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Their authenticator and its recovery codes are worth nothing from the commit on. */
export async function removeSecondFactor(unit: Unit, userId: string): Promise<void> {
  await updateUser(unit, userId, { totp_secret: null, totp_pending: null })
  await unit.trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}
