// SPDX-License-Identifier: MIT
// The programs that keep DNS, at rest. Their secrets are sealed.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Unit } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import type { Reader } from '../db/database.ts'
import type { AcmeTables } from '../db/tables/acme.ts'

export type DnsWebhookRow = Selectable<AcmeTables['dns_webhooks']>
type NewDnsWebhookRow = Insertable<AcmeTables['dns_webhooks']>

const purposeOf = (name: string) => `dns webhook ${name}`
export const sealDnsSecret = (box: SecretBox, name: string, secret: string): string =>
  box.seal(secret, purposeOf(name))
export const openDnsSecret = (box: SecretBox, { name, secret }: DnsWebhookRow): string =>
  box.open(secret, purposeOf(name))

export const listDnsWebhooks = (
  db: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<DnsWebhookRow[]> =>
  db
    .selectFrom('dns_webhooks')
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute()

export const findDnsWebhook = (db: Reader, name: string): Promise<DnsWebhookRow | undefined> =>
  db.selectFrom('dns_webhooks').selectAll().where('name', '=', name).executeTakeFirst()

export async function countDnsWebhooks(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('dns_webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertDnsWebhook({ trx }: Unit, row: NewDnsWebhookRow): Promise<void> {
  await trx.insertInto('dns_webhooks').values(row).execute()
}

export async function updateDnsWebhook(
  { trx }: Unit,
  name: string,
  columns: Partial<Omit<DnsWebhookRow, 'name'>>,
): Promise<DnsWebhookRow | undefined> {
  return await trx
    .updateTable('dns_webhooks')
    .set(columns)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteDnsWebhook({ trx }: Unit, name: string): Promise<void> {
  await trx.deleteFrom('dns_webhooks').where('name', '=', name).execute()
}

/** Of the managed certificates that are proven by it, and of the orders that have records there still, the first by name. */
export async function certificatesOfDnsWebhook(
  db: Reader,
  name: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from managed_certificates where dns_webhook = ${name}
    union
    select certificate from certificate_orders where dns_webhook = ${name} and cleaned_up = 0
    order by 1 limit ${limit}`.execute(db)
  return rows.map((row) => row.name)
}
