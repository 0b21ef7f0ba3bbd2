// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/027-webhooks.ts).

type WebhooksTable = {
  id: string
  url: string
  description: string
  /** JSON array of patterns; see features/webhooks/rules.ts. */
  events: string
  /** Counts changes by people: the ETag. */
  revision: number
  /** Sealed, as is the one before it; see base/secret-box.ts. */
  secret: string
  old_secret: string | null
  old_secret_until_ms: number | null
  /** Its place in the events: up to here all are delivered, or of no concern to it. */
  last_event_id: number
  /** Failed ones of the event after that place. */
  attempts: number
  failing_since_ms: number | null
  last_error: string | null
  /** Until then it is not tried again; null: as soon as there is something. */
  next_attempt_at_ms: number | null
  disabled_at_ms: number | null
  disabled_reason: string | null
  created_at_ms: number
  created_by: string
}

/** The last few of each webhook, for people to look at. */
type WebhookDeliveriesTable = {
  id: string
  webhook_id: string
  /** null: a test. */
  event_id: number | null
  type: string
  at_ms: number
  /** 0: asked for by a person. */
  attempt: number
  /** null: no answer came. */
  status: number | null
  duration_ms: number
  error: string | null
  response: string
}

export type WebhookTables = {
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}
