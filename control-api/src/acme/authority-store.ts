// SPDX-License-Identifier: MIT
// Certificate authorities at rest. The account's key and the HMAC key that binds it are sealed.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Reader } from '../db/database.ts'
import type { AcmeTables } from '../db/tables/acme.ts'
import { newAccountKey } from './keys.ts'

export type AuthorityRow = Selectable<AcmeTables['certificate_authorities']>
type NewAuthorityRow = Insertable<AcmeTables['certificate_authorities']>

/** Whose secret it is: a row put in another's place does not open. */
const accountPurpose = (name: string) => `acme account ${name}`
const bindingPurpose = (name: string) => `acme external account ${name}`

export type ExternalAccount = { keyId: string; hmacKey: string }

/** A key that no CA knows yet: an account is made with it when one is needed. */
export const newAccount = (
  box: SecretBox,
  name: string,
  external: ExternalAccount | null,
): Pick<AuthorityRow, 'account_key' | 'account_url' | 'eab_key_id' | 'eab_hmac_key'> => ({
  account_key: box.seal(newAccountKey(), accountPurpose(name)),
  account_url: null,
  eab_key_id: external?.keyId ?? null,
  eab_hmac_key: external && box.seal(external.hmacKey, bindingPurpose(name)),
})

export const openAccount = (
  box: SecretBox,
  { name, account_key, eab_key_id, eab_hmac_key }: AuthorityRow,
): { accountKey: string; externalAccount: ExternalAccount | null } => ({
  accountKey: box.open(account_key, accountPurpose(name)),
  externalAccount:
    eab_key_id === null || eab_hmac_key === null
      ? null
      : { keyId: eab_key_id, hmacKey: box.open(eab_hmac_key, bindingPurpose(name)) },
})

export const listAuthorities = (
  db: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<AuthorityRow[]> =>
  db
    .selectFrom('certificate_authorities')
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute()

export const findAuthority = (db: Reader, name: string): Promise<AuthorityRow | undefined> =>
  db.selectFrom('certificate_authorities').selectAll().where('name', '=', name).executeTakeFirst()

export async function countAuthorities(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('certificate_authorities')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertAuthority({ trx }: Unit, row: NewAuthorityRow): Promise<void> {
  await trx.insertInto('certificate_authorities').values(row).execute()
}

/** By people: pass the next `revision`. By the engine: without. */
export async function updateAuthority(
  { trx }: Unit,
  name: string,
  columns: Partial<Omit<AuthorityRow, 'name'>>,
): Promise<AuthorityRow> {
  return await trx
    .updateTable('certificate_authorities')
    .set(columns)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteAuthority({ trx }: Unit, name: string): Promise<void> {
  await trx.deleteFrom('certificate_authorities').where('name', '=', name).execute()
}

/** By authority, how many managed certificates name it; one that none names is left out. */
export async function authorityUses(db: Reader): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; uses: number }>`
    select a.value ->> 'name' as name, count(*) as uses
    from managed_certificates m, json_each(m.authorities) a group by 1`.execute(db)
  return new Map(rows.map(({ name, uses }) => [name, uses]))
}

/** Of the managed certificates that name it, and of those with an order open there, the first by name. */
export async function certificatesOfAuthority(
  db: Reader,
  name: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select m.name from managed_certificates m
    where exists (select 1 from json_each(m.authorities) a where a.value ->> 'name' = ${name})
    union
    select o.certificate from certificate_orders o
    where o.authority = ${name} and o.ended_at_ms is null
    order by 1 limit ${limit}`.execute(db)
  return rows.map((row) => row.name)
}
