// SPDX-License-Identifier: MIT
// Who a token in the Authorization header stands for, looked at anew with each request.
import type { Kysely } from 'kysely'
import { isSameScope } from '../../access/scope.ts'
import { TooManyAttempts, WrongToken } from '../../api-shapes/errors.ts'
import { sameDigest, sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { SignedInUser } from '../../http/app-types.ts'
import { effectivePermissions, tokenIdOf } from './rules.ts'
import { findToken, grantedBy, noteUse, type TokenRow } from './store.ts'

type Deps = {
  db: Kysely<Database>
  now: () => number
  /** null: the user is gone or may not sign in. */
  userById: (id: string) => Promise<SignedInUser | null>
  /** Counts wrong tokens of an address. Milliseconds to wait; 0: none. */
  failedFrom: (address: string) => number
  onError: (error: unknown) => void
}

/** A token in steady use is noted this often: every write is an fsync. */
const NOTE_EVERY_MS = 60_000

export function createBearers({ db, now, userById, failedFrom, onError }: Deps) {
  const beingNoted = new Set<string>()

  /** Not waited for: no request is slower, or fails, because of it. */
  const note = ({ id, last_used_at_ms }: TokenRow, from: string): void => {
    const atMs = now()
    // An earlier clock may have been ahead: what lies in the future is no reason to keep silent.
    const isFresh = last_used_at_ms !== null && Math.abs(atMs - last_used_at_ms) < NOTE_EVERY_MS
    if (isFresh || beingNoted.has(id)) return
    beingNoted.add(id)
    noteUse(db, { id, atMs, from })
      .catch(onError)
      .finally(() => beingNoted.delete(id))
  }

  const standsFor = async (row: TokenRow): Promise<SignedInUser | null> => {
    if (row.expires_at_ms <= now()) return null
    const user = await userById(row.user_id)
    if (!user || user.passwordChangeRequired) return null
    return {
      ...user,
      permissions: effectivePermissions(grantedBy(row), user.permissions),
      token: { id: row.id, name: row.name, expiresAtMs: row.expires_at_ms },
    }
  }

  const rightToken = async (secret: string): Promise<TokenRow | null> => {
    const id = tokenIdOf(secret)
    const row = id === null ? undefined : await findToken(db, id)
    return row && sameDigest(row.secret_digest, sha256(secret)) ? row : null
  }

  return {
    /** Right tokens are never made to wait: others behind the same address may send wrong ones. */
    async userOf(secret: string, address: string): Promise<SignedInUser> {
      const row = await rightToken(secret)
      const user = row && (await standsFor(row))
      if (row && user) {
        note(row, address)
        return user
      }
      const waitS = Math.ceil(failedFrom(address) / 1000)
      if (waitS > 0) throw new TooManyAttempts(waitS).withHeaders({ 'retry-after': `${waitS}` })
      throw new WrongToken().withHeaders({
        'www-authenticate': 'Bearer realm="farmstead", error="invalid_token"',
      })
    },
    /** For streams, which outlive the request that was checked. */
    async mayStill(caller: SignedInUser, permission: SignedInUser['permissions'][number]) {
      const row = await findToken(db, caller.token?.id ?? '')
      const user = row && (await standsFor(row))
      if (!user) return false
      // What the stream says was chosen by the scope and the permissions it began with.
      const lost = caller.permissions.some((one) => !user.permissions.includes(one))
      return !lost && user.permissions.includes(permission) && isSameScope(user.scope, caller.scope)
    },
  }
}
