// SPDX-License-Identifier: MIT
// The way in on a new machine: a token known only to who sees the console of this machine makes the
// first administrator. There is no open first-run page that a stranger could find first.
import { defineError } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newSecret, sameDigest, sha256 } from '../../base/ids.ts'
import { readOwn, removeOwn, writeOwn } from '../../control-plane/store.ts'
import type { Reader } from '../../db/database.ts'
import { anyUserExists, insertUser, type User } from '../../people/user-store.ts'

export const SetupDone = defineError(
  409,
  'setup_done',
  'The set-up is done',
  () => 'There is an administrator already. Sign in with POST /api/v1/session.',
)
export const WrongSetupToken = defineError(
  401,
  'wrong_setup_token',
  'Not the set-up token',
  () =>
    'Use the newest link that the service printed when it started. `admin init` on its machine prints a new one.',
)

/** The token that is good from now on, instead of any before; null: there are users, and no set-up. */
export const newSetupToken = (write: Write): Promise<string | null> =>
  write(async ({ trx }) => {
    if (await anyUserExists(trx)) return null
    const token = newSecret('fss')
    await writeOwn(trx, 'setupTokenDigest', sha256(token))
    return token
  })

/** Throws SetupDone or WrongSetupToken. */
export async function requireSetupToken(db: Reader, token: string): Promise<void> {
  if (await anyUserExists(db)) throw new SetupDone()
  const digest = await readOwn(db, 'setupTokenDigest')
  if (!sameDigest(digest ?? '', sha256(token))) throw new WrongSetupToken()
}

type FirstAdmin = { token: string; username: string; passwordHash: string; nowMs: number }

export async function insertFirstAdmin(unit: Unit, first: FirstAdmin): Promise<User> {
  const { token, username, passwordHash, nowMs } = first
  await requireSetupToken(unit.trx, token)
  const roles = ['admin' as const]
  const user = await insertUser(unit, { username, passwordHash, roles, isOneTime: false, nowMs })
  await removeOwn(unit.trx, 'setupTokenDigest')
  const data = { username, roles }
  await unit.emit({ kind: 'user', id: user.id, action: 'created', actor: 'set-up', data })
  return user
}

/** The link that carries the token where no server or proxy writes it into a log. */
export const setupLink = (consoleUrl: string, token: string) => `${consoleUrl}/setup#${token}`
