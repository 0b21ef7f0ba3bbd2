// SPDX-License-Identifier: MIT
// Sessions at rest.
import type { SessionStore } from '@fastify/session'
import type { Kysely } from 'kysely'
import type { Unit } from '../audit/write.ts'
import { sha256 } from '../base/ids.ts'
import type { Database, Trx } from '../db/database.ts'

export const IDLE_MS = 12 * 3600_000
export const LONGEST_MS = 7 * 24 * 3600_000
/** A session in steady use is prolonged this often, not at each request: every write is an fsync. */
const PROLONG_AFTER_MS = 60_000

/** Browsers say who they are at length; this much is enough to tell one from another. */
const USER_AGENT_MAX_LENGTH = 200

export type NewSession = {
  sessionId: string
  userId: string
  address: string
  userAgent: string | undefined
  nowMs: number
}

export async function insertSession({ trx }: Unit, session: NewSession): Promise<void> {
  const { sessionId, userId, address, userAgent, nowMs } = session
  await trx.deleteFrom('sessions').where('expires_at_ms', '<=', nowMs).execute()
  await trx
    .insertInto('sessions')
    .values({
      id_digest: sha256(sessionId),
      user_id: userId,
      data: JSON.stringify({ userId, signedInAtMs: nowMs }),
      created_at_ms: nowMs,
      expires_at_ms: nowMs + IDLE_MS,
      address,
      user_agent: userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
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

export async function endEverySession(trx: Trx): Promise<void> {
  await trx.deleteFrom('sessions').execute()
}

/** One may sign in again and again; nobody needs to see more than this. */
const LISTED = 100

/** Newest first. */
export async function listSessions(
  db: Kysely<Database>,
  { userId, sessionId, nowMs }: { userId: string; sessionId: string; nowMs: number },
) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id_digest', 'created_at_ms', 'expires_at_ms', 'address', 'user_agent'])
    .where('user_id', '=', userId)
    .where('expires_at_ms', '>', nowMs)
    .where('created_at_ms', '>=', nowMs - LONGEST_MS)
    .orderBy('created_at_ms', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map((row) => ({
    // Of the id in the cookie only this is known, and it opens nothing.
    id: row.id_digest,
    signedInAt: new Date(row.created_at_ms).toISOString(),
    expiresAt: new Date(Math.min(row.expires_at_ms, row.created_at_ms + LONGEST_MS)).toISOString(),
    address: row.address,
    userAgent: row.user_agent,
    current: row.id_digest === sha256(sessionId),
  }))
}

/** False: there is none, or it is another's. */
export async function endSession(
  { trx }: Unit,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('sessions')
    .where('id_digest', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
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
