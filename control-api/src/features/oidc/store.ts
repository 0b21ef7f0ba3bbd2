// SPDX-License-Identifier: MIT
// Identities at rest: which person at the provider is which user here.
import type { Selectable } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import type { OidcIdentitiesTable } from '../../db/tables/oidc.ts'

export type IdentityRow = Selectable<OidcIdentitiesTable>

export async function findIdentity(db: Reader, of: Pick<IdentityRow, 'issuer' | 'subject'>) {
  return await db
    .selectFrom('oidc_identities')
    .selectAll()
    .where('issuer', '=', of.issuer)
    .where('subject', '=', of.subject)
    .executeTakeFirst()
}

export async function identityOfUser(db: Reader, of: Pick<IdentityRow, 'user_id' | 'issuer'>) {
  return await db
    .selectFrom('oidc_identities')
    .selectAll()
    .where('user_id', '=', of.user_id)
    .where('issuer', '=', of.issuer)
    .executeTakeFirst()
}

export async function insertIdentity({ trx }: Unit, row: IdentityRow): Promise<void> {
  await trx.insertInto('oidc_identities').values(row).execute()
}

export async function noteSignIn({ trx }: Unit, row: IdentityRow, atMs: number): Promise<void> {
  await trx
    .updateTable('oidc_identities')
    .set({ last_sign_in_at_ms: atMs })
    .where('issuer', '=', row.issuer)
    .where('subject', '=', row.subject)
    .execute()
}

/** Those a person linked; one that made the user is the provider's to end. Each is told. */
export async function unlinkIdentitiesOf(unit: Unit, userId: string, actor: string): Promise<void> {
  const gone = await unit.trx
    .deleteFrom('oidc_identities')
    .where('user_id', '=', userId)
    .where('origin', '=', 'linked')
    .returning(['issuer', 'subject'])
    .execute()
  for (const { issuer, subject } of gone) {
    const data = { issuer, subject }
    await unit.emit({ kind: 'user', id: userId, action: 'identity-unlinked', actor, data })
  }
}

export async function deleteIdentity({ trx }: Unit, row: IdentityRow): Promise<void> {
  await trx
    .deleteFrom('oidc_identities')
    .where('issuer', '=', row.issuer)
    .where('subject', '=', row.subject)
    .execute()
}
