// SPDX-License-Identifier: MIT
// Webhooks and their last deliveries at rest.
import type { Selectable } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import { newId } from '../../base/ids.ts'
import type { Reader } from '../../db/database.ts'
import type { WebhookTables } from '../../db/tables/webhooks.ts'
import { WebhookNotFound } from './errors.ts'
import type { Message } from './rules.ts'
import type { Webhook, WebhookDelivery } from './schema.ts'
import type { Outcome } from './send.ts'

export type WebhookRow = Selectable<WebhookTables['webhooks']>
type DeliveryRow = Selectable<WebhookTables['webhook_deliveries']>
type Page = { before: string | undefined; limit: number }

/** Of each webhook; older ones go. */
export const DELIVERIES_KEPT = 50

export function listWebhooks(db: Reader, { before, limit }: Page): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export const findWebhook = (db: Reader, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()

export async function requireWebhook({ trx }: Unit, id: string): Promise<WebhookRow> {
  const row = await findWebhook(trx, id)
  if (!row) throw new WebhookNotFound(id)
  return row
}

export async function countWebhooks(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function enabledIds(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('disabled_at_ms', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

export async function insertWebhook({ trx }: Unit, row: WebhookRow): Promise<void> {
  await trx.insertInto('webhooks').values(row).execute()
}

export async function updateWebhook(
  { trx }: Unit,
  id: string,
  columns: Partial<WebhookRow>,
): Promise<WebhookRow> {
  return await trx
    .updateTable('webhooks')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteWebhook({ trx }: Unit, id: string): Promise<void> {
  await trx.deleteFrom('webhooks').where('id', '=', id).execute()
}

type Delivery = { webhookId: string; message: Message; outcome: Outcome; attempt: number }

export async function insertDelivery(
  { trx }: Unit,
  { webhookId, message, outcome, attempt }: Delivery,
  nowMs: number,
): Promise<DeliveryRow> {
  const row = {
    id: newId('delivery'),
    webhook_id: webhookId,
    event_id: message.eventId,
    type: message.type,
    at_ms: nowMs,
    attempt,
    status: outcome.status,
    duration_ms: outcome.durationMs,
    error: outcome.error,
    response: outcome.response,
  }
  await trx.insertInto('webhook_deliveries').values(row).execute()
  const oldest = await trx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .offset(DELIVERIES_KEPT)
    .limit(1)
    .executeTakeFirst()
  if (oldest) {
    await trx
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', webhookId)
      .where('id', '<=', oldest.id)
      .execute()
  }
  return row
}

export function listDeliveries(
  db: Reader,
  webhookId: string,
  { before, limit }: Page,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

const iso = (ms: number) => new Date(ms).toISOString()
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

export const viewWebhook = (row: WebhookRow, nowMs: number): Webhook => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: JSON.parse(row.events),
  disabledAt: isoOrNull(row.disabled_at_ms),
  disabledReason: row.disabled_reason,
  failingSince: isoOrNull(row.failing_since_ms),
  failedAttempts: row.attempts,
  lastError: row.last_error,
  oldSecretUntil:
    (row.old_secret_until_ms ?? 0) > nowMs ? isoOrNull(row.old_secret_until_ms) : null,
  createdAt: iso(row.created_at_ms),
  createdBy: row.created_by,
})

export const viewDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  eventId: row.event_id,
  type: row.type,
  at: iso(row.at_ms),
  attempt: row.attempt,
  delivered: row.error === null,
  status: row.status,
  durationMs: row.duration_ms,
  error: row.error,
  response: row.response,
})
