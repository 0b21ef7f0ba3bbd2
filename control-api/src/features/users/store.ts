// SPDX-License-Identifier: MIT
// Users as administrators see them.
import { type Kysely, sql } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import { toUser, type User, updateUser } from '../../people/user-store.ts'
import { isFarmAdmin } from './rules.ts'

type Page = { after: string | undefined; limit: number; q: string }

/** By name; `q`: a part of it. */
export async function listUsers(db: Kysely<Database>, { after, limit, q }: Page): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .$if(after !== undefined, (query) => query.where('username', '>', after ?? ''))
    .$if(q !== '', (query) =>
      query.where(sql<boolean>`instr(lower(username), ${q.toLowerCase()}) > 0`),
    )
    .orderBy('username')
    .limit(limit)
    .execute()
  return rows.map(toUser)
}

export async function farmAdminExists({ trx }: Unit): Promise<boolean> {
  const rows = await trx
    .selectFrom('users')
    .selectAll()
    .where('scope', 'is', null)
    .where('disabled', '=', 0)
    .execute()
  return rows.map(toUser).some(isFarmAdmin)
}

type Standing = Pick<User, 'roles' | 'scope' | 'disabled'>

export async function saveStanding(
  unit: Unit,
  user: User,
  { roles, scope, disabled }: Standing,
): Promise<void> {
  await updateUser(unit, user.id, {
    roles: JSON.stringify(roles),
    scope,
    disabled: disabled ? 1 : 0,
    revision: user.revision + 1,
  })
}
