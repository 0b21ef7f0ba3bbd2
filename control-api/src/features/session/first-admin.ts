// SPDX-License-Identifier: MIT
// The way in on a new machine: `admin` with a password made for one use, known only to who sees the
// console of this machine. There is no open first-run page that a stranger could find first.
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Write } from '../../db/write.ts'
import { hashPassword, oneTimePassword } from './passwords.ts'
import { createUserStore, endSessions, insertUser, setOneTimePassword } from './store.ts'

type Deps = { db: Kysely<Database>; write: Write; now: () => number }
export type OneTimeLogin = { username: string; password: string }

const USERNAME = 'admin'

/** A password when `admin` is created here; null when it exists already. */
export async function createFirstAdmin(deps: Deps): Promise<OneTimeLogin | null> {
  if (await createUserStore(deps.db).byUsername(USERNAME)) return null
  return makeOneTimePassword(deps)
}

/** A fresh one-time password as long as nobody has chosen one; null afterwards. */
export async function renewFirstAdmin(deps: Deps): Promise<OneTimeLogin | null> {
  const admin = await createUserStore(deps.db).byUsername(USERNAME)
  return admin && !admin.passwordChangeRequired ? null : makeOneTimePassword(deps)
}

/** Whoever can run commands on this machine is trusted to be let in again: `admin reset-admin-password`. */
export async function makeOneTimePassword({ db, write, now }: Deps): Promise<OneTimeLogin> {
  const password = oneTimePassword()
  const passwordHash = await hashPassword(password)
  const admin = await createUserStore(db).byUsername(USERNAME)
  await write(async (unit) => {
    const userId = admin
      ? admin.id
      : await insertUser(unit, {
          username: USERNAME,
          passwordHash,
          roles: ['admin'],
          nowMs: now(),
        })
    if (admin) {
      await setOneTimePassword(unit, { userId, passwordHash })
      await endSessions(unit, userId)
    }
    await unit.emit({ kind: 'session', id: userId, action: 'one-time-password', actor: 'operator' })
  })
  return { username: USERNAME, password }
}
