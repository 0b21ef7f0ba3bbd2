// SPDX-License-Identifier: MIT
// Whoever can run commands on this machine is trusted to be let in again: `admin reset-admin-password`.
import type { Kysely } from 'kysely'
import { defineError } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import { hashPassword, oneTimePassword } from '../../people/passwords.ts'
import { endAllWaysIn, type OtherWaysIn } from '../../people/recovery.ts'
import {
  createUserStore,
  insertUser,
  removeSecondFactor,
  setOneTimePassword,
  type User,
  updateUser,
} from '../../people/user-store.ts'

type Deps = { db: Kysely<Database>; write: Write; now: () => number; waysIn: OtherWaysIn }

const NotAnAdmin = defineError(
  409,
  'not_an_admin',
  'Not an administrator',
  (username: string) =>
    `"${username}" is no administrator, and this command makes nobody one who was not. Name one, or a name nobody has.`,
)

/** Makes the administrator when nobody has the name. */
export async function letAdminIn({ db, write, now, waysIn }: Deps, username: string) {
  const password = oneTimePassword()
  const passwordHash = await hashPassword(password)
  const admin = await createUserStore(db).byUsername(username)
  if (admin && !admin.roles.includes('admin')) throw new NotAnAdmin(username)
  await write(async (unit) => {
    const { id } =
      admin ??
      (await insertUser(unit, {
        ...{ username, passwordHash, roles: ['admin'] },
        isOneTime: true,
        nowMs: now(),
      }))
    if (admin) {
      await reopen(unit, admin, passwordHash)
      await endAllWaysIn(unit, waysIn, { userId: id, actor: 'operator' })
    }
    await unit.emit({ kind: 'session', id, action: 'one-time-password', actor: 'operator' })
  })
  return { username: admin?.username ?? username, password }
}

/** A lost second factor is a reason to be here, too. */
async function reopen(unit: Unit, { id, revision }: User, passwordHash: string): Promise<void> {
  await setOneTimePassword(unit, { userId: id, passwordHash })
  await removeSecondFactor(unit, id)
  await updateUser(unit, id, { disabled: 0, revision: revision + 1 })
}
