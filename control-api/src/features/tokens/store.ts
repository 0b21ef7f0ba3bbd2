// SPDX-License-Identifier: MIT
// API tokens at rest: of the secret only a digest.
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import { defineError, NotSignedIn } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newId, sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { ApiTokensTable } from '../../db/tables/tokens.ts'
import type { SignedInUser } from '../../http/app-types.ts'
import type { StillProven } from '../../people/proof.ts'
import { newTokenSecret } from './rules.ts'
import type { CreatedToken, NewToken, Token } from './schema.ts'

export type TokenRow = Selectable<ApiTokensTable>

const DAY_MS = 86_400_000
export const MAX_TOKENS_PER_USER = 50
/** Long enough to see in the list why a program is refused. */
const KEEP_EXPIRED_MS = 30 * DAY_MS

export const TooManyTokens = defineError(
  409,
  'too_many_tokens',
  'You have many tokens already',
  () =>
    `A user has at most ${MAX_TOKENS_PER_USER} tokens. Revoke those that nothing uses: the list says when each was last used.`,
)

export async function findToken(db: Kysely<Database>, id: string): Promise<TokenRow | undefined> {
  return await db.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirst()
}

type Page = { /** null: everybody's. */ userId: string | null; before?: string; limit: number }

/** Newest first. */
export async function listTokens(db: Kysely<Database>, page: Page): Promise<Token[]> {
  const { userId, before, limit } = page
  const rows = await db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .selectAll('api_tokens')
    .select('users.username')
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
    .$if(before !== undefined, (query) => query.where('api_tokens.id', '<', before ?? ''))
    .orderBy('api_tokens.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ username, ...row }) => view(row, username))
}

type Creation = NewToken & {
  /** With a token, the new one says at most as much, for at most as long. */
  user: Pick<SignedInUser, 'id' | 'username' | 'token'>
  /** null: made with a token. */
  stillProven: StillProven | null
  nowMs: number
}

export async function createToken(write: Write, creation: Creation): Promise<CreatedToken> {
  const { user, name, nowMs } = creation
  const id = newId('token')
  const secret = newTokenSecret(id)
  const lifeEndsMs = nowMs + creation.expiresInDays * DAY_MS
  return write(async (unit) => {
    const maker = user.token && (await findToken(unit.trx, user.token.id))
    if (maker === undefined) throw new NotSignedIn()
    await creation.stillProven?.(unit)
    const permissions = creation.permissions
      ? JSON.stringify(creation.permissions)
      : (maker?.permissions ?? null)
    await requireRoom(unit, user.id, nowMs)
    const row = await unit.trx
      .insertInto('api_tokens')
      .values({
        id,
        user_id: user.id,
        name,
        secret_digest: sha256(secret),
        permissions,
        made_with: maker?.id ?? null,
        created_at_ms: nowMs,
        expires_at_ms: Math.min(lifeEndsMs, maker?.expires_at_ms ?? lifeEndsMs),
        last_used_at_ms: null,
        last_used_from: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const token = view(row, user.username)
    await unit.emit({
      kind: 'token',
      id,
      action: 'created',
      actor: user.username,
      data: {
        name,
        permissions: token.permissions,
        expiresAt: token.expiresAt,
        madeWith: token.madeWith,
      },
    })
    return { ...token, secret }
  })
}

async function requireRoom({ trx }: Unit, userId: string, nowMs: number): Promise<void> {
  await trx
    .deleteFrom('api_tokens')
    .where('user_id', '=', userId)
    .where('expires_at_ms', '<', nowMs - KEEP_EXPIRED_MS)
    .execute()
  const { count } = await trx
    .selectFrom('api_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_TOKENS_PER_USER) throw new TooManyTokens()
}

/** With it go the tokens that were made with it; each is told. */
export async function revokeToken(unit: Unit, row: TokenRow, actor: string): Promise<void> {
  const gone = await unit.trx
    .withRecursive('made', (query) =>
      query
        .selectFrom('api_tokens')
        .select(['id', 'name'])
        .where('id', '=', row.id)
        .unionAll(
          query
            .selectFrom('api_tokens')
            .innerJoin('made', 'made.id', 'api_tokens.made_with')
            .select(['api_tokens.id', 'api_tokens.name']),
        ),
    )
    .selectFrom('made')
    .selectAll()
    .execute()
  await unit.trx.deleteFrom('api_tokens').where('id', '=', row.id).execute()
  for (const { id, name } of gone) {
    await unit.emit({ kind: 'token', id, action: 'revoked', actor, data: { name } })
  }
}

/** All of a user's; each is told. */
export async function revokeTokensOf(unit: Unit, userId: string, actor: string): Promise<void> {
  const own = (eb: ExpressionBuilder<Database, 'api_tokens'>) => eb('user_id', '=', userId)
  // Read first: what goes with its maker is not among the rows that a delete returns.
  const gone = await unit.trx.selectFrom('api_tokens').select(['id', 'name']).where(own).execute()
  await unit.trx.deleteFrom('api_tokens').where(own).execute()
  for (const { id, name } of gone) {
    await unit.emit({ kind: 'token', id, action: 'revoked', actor, data: { name } })
  }
}

type Use = { id: string; atMs: number; from: string }

export async function noteUse(db: Kysely<Database>, { id, atMs, from }: Use): Promise<void> {
  await db
    .updateTable('api_tokens')
    .set({ last_used_at_ms: atMs, last_used_from: from })
    .where('id', '=', id)
    .execute()
}

function view(row: TokenRow, username: string): Token {
  const time = (ms: number) => new Date(ms).toISOString()
  return {
    id: row.id,
    name: row.name,
    user: { id: row.user_id, username },
    permissions: grantedBy(row),
    madeWith: row.made_with,
    createdAt: time(row.created_at_ms),
    expiresAt: time(row.expires_at_ms),
    lastUsedAt: row.last_used_at_ms === null ? null : time(row.last_used_at_ms),
    lastUsedFrom: row.last_used_from,
  }
}

/** null: all its owner may. */
export const grantedBy = ({ permissions }: Pick<TokenRow, 'permissions'>): string[] | null =>
  permissions === null ? null : JSON.parse(permissions)
