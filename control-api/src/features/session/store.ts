// SPDX-License-Identifier: MIT
// Users and their sessions at rest.
import type { SessionStore } from '@fastify/session'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Unit } from '../../db/write.ts'
import { newId, sha256 } from '../../ids.ts'
import type { Role } from './schema.ts'

export const IDLE_MS = 12 * 3600_000
export const LONGEST_MS = 7 * 24 * 3600_000
/** A session in steady use is prolonged this often, not at each request: every write is an fsync. */
const PROLONG_AFTER_MS = 60_000

export type User = {
  id: string
  username: string
  passwordHash: string
  roles: Role[]
  passwordChangeRequired: boolean
  passwordChangedAtMs: number | null
}
export type UserStore = ReturnType<typeof createUserStore>

export function createUserStore(db: Kysely<Database>) {
  const find = async (column: 'id' | 'username', value: string): Promise<User | null> => {
    const row = await db
      .selectFrom('users')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    if (!row) return null
    return {
      id: row.id,
      username: row.username,
      passwordHash: row.password_hash,
      roles: JSON.parse(row.roles),
      passwordChangeRequired: row.password_change_required === 1,
      passwordChangedAtMs: row.password_changed_at_ms,
    }
  }
  return {
    byId: (id: string) => find('id', id),
    byUsername: (username: string) => find('username', username),
  }
}

type NewUser = { username: string; passwordHash: string; roles: Role[]; nowMs: number }

export async function insertUser({ trx }: Unit, user: NewUser): Promise<string> {
  const id = newId('user')
  await trx
    .insertInto('users')
    .values({
      id,
      username: user.username,
      password_hash: user.passwordHash,
      roles: JSON.stringify(user.roles),
      password_change_required: 1,
      created_at_ms: user.nowMs,
      password_changed_at_ms: null,
    })
    .execute()
  return id
}

type NewPassword = { userId: string; passwordHash: string; nowMs: number }

/** A password the user chose. */
export async function setPassword({ trx }: Unit, { userId, passwordHash, nowMs }: NewPassword) {
  await trx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      password_change_required: 0,
      password_changed_at_ms: nowMs,
    })
    .where('id', '=', userId)
    .execute()
}

/** A generated password, good for choosing one's own. */
export async function setOneTimePassword(
  { trx }: Unit,
  { userId, passwordHash }: Omit<NewPassword, 'nowMs'>,
) {
  await trx
    .updateTable('users')
    .set({ password_hash: passwordHash, password_change_required: 1 })
    .where('id', '=', userId)
    .execute()
}

type NewSession = { sessionId: string; userId: string; nowMs: number }

export async function insertSession({ trx }: Unit, { sessionId, userId, nowMs }: NewSession) {
  await trx.deleteFrom('sessions').where('expires_at_ms', '<=', nowMs).execute()
  await trx
    .insertInto('sessions')
    .values({
      id_digest: sha256(sessionId),
      user_id: userId,
      data: JSON.stringify({ userId, signedInAtMs: nowMs }),
      created_at_ms: nowMs,
      expires_at_ms: nowMs + IDLE_MS,
    })
    .execute()
}

export async function endSessions({ trx }: Unit, userId: string, exceptSessionId?: string) {
  await trx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_digest', '!=', exceptSessionId ? sha256(exceptSessionId) : '')
    .execute()
}

/** Is it still there? For streams, which outlive the request that was checked. */
export async function sessionIsAlive(db: Kysely<Database>, sessionId: string, nowMs: number) {
  const row = await db
    .selectFrom('sessions')
    .select('id_digest')
    .where('id_digest', '=', sha256(sessionId))
    .where('expires_at_ms', '>', nowMs)
    .where('created_at_ms', '>=', nowMs - LONGEST_MS)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * What @fastify/session asks of a store. Signing in creates the row (insertSession); `set` only prolongs
 * it, so that a request under way when its session was ended cannot bring it back, and anonymous
 * visitors leave nothing behind.
 */
export function createSessionStore(db: Kysely<Database>, now: () => number): SessionStore {
  return {
    get(sessionId, callback) {
      readSession(db, sessionId, now()).then((session) => callback(null, session), callback)
    },
    set(sessionId, _session, callback) {
      const expiresAtMs = now() + IDLE_MS
      const prolong = db
        .updateTable('sessions')
        .set({ expires_at_ms: expiresAtMs })
        .where('id_digest', '=', sha256(sessionId))
        .where('expires_at_ms', '<', expiresAtMs - PROLONG_AFTER_MS)
      // The next request prolongs what this one could not: a full disk must not stop people from reading.
      const done = () => callback()
      prolong.execute().then(done, done)
    },
    destroy(sessionId, callback) {
      const end = db.deleteFrom('sessions').where('id_digest', '=', sha256(sessionId))
      end.execute().then(() => callback(), callback)
    },
  }
}

async function readSession(db: Kysely<Database>, sessionId: string, nowMs: number) {
  const row = await db
    .selectFrom('sessions')
    .select(['data', 'created_at_ms', 'expires_at_ms'])
    .where('id_digest', '=', sha256(sessionId))
    .executeTakeFirst()
  if (!row || row.expires_at_ms <= nowMs || nowMs - row.created_at_ms > LONGEST_MS) return null
  return { ...JSON.parse(row.data), cookie: { originalMaxAge: IDLE_MS } }
}
