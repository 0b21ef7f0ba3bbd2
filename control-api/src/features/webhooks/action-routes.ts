// SPDX-License-Identifier: MIT
// What a person asks of a webhook: to show what it was told, to be told something now, another secret.
import { Type } from 'typebox'
import { PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { TooManyRequests } from '../../api-shapes/errors.ts'
import { newId } from '../../base/ids.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf } from '../../http/preconditions.ts'
import type { WebhookDeps } from './deps.ts'
import { purposeOf } from './dispatcher.ts'
import { BeyondYourEvents, EventNotFound, WebhookNotFound } from './errors.ts'
import {
  type Message,
  messageOf,
  newWebhookSecret,
  requireOwnEvents,
  testMessage,
} from './rules.ts'
import {
  CreatedWebhookSchema,
  RedeliverSchema,
  RotateSecretSchema,
  WebhookDeliverySchema,
  WebhookIdSchema,
} from './schema.ts'
import { TIMEOUT_MS } from './send.ts'
import {
  findWebhook,
  insertDelivery,
  listDeliveries,
  requireWebhook,
  updateWebhook,
  viewDelivery,
  viewWebhook,
} from './store.ts'

const tags = ['webhooks']
const params = Type.Object({ id: WebhookIdSchema })
const cursors = defineCursor('webhook-deliveries', 'text')
const DEFAULT_OVERLAP_SECONDS = 86_400
/** Each holds a request for up to ten seconds. */
const ASKED_AT_A_TIME = 4

export const webhookActionRoutes = (deps: WebhookDeps) => async (app: App) => {
  const { db, write, now, box, dispatcher } = deps
  let asked = 0

  const find = async (id: string) => {
    const row = await findWebhook(db, id)
    if (!row) throw new WebhookNotFound(id)
    return row
  }

  /** Beside its turn: where it stands in the events stays as it is. */
  const deliverNow = async (id: string, message: Message) => {
    if (asked >= ASKED_AT_A_TIME) throw new TooManyRequests(TIMEOUT_MS / 1000)
    asked += 1
    try {
      const outcome = await dispatcher.deliver(await find(id), message)
      const row = await write(async (unit) => {
        await requireWebhook(unit, id)
        return await insertDelivery(unit, { webhookId: id, message, outcome, attempt: 0 }, now())
      })
      return viewDelivery(row)
    } finally {
      asked -= 1
    }
  }

  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { permission: 'webhooks:read', errors: [WebhookNotFound] },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'The last attempts to tell it something, newest first',
        params,
        querystring: PageQuerySchema,
        response: { 200: pageOf(WebhookDeliverySchema) },
      },
    },
    async ({ params: { id }, query: { cursor, limit = 100 } }) => {
      await find(id)
      const [before] = cursors.read(cursor) ?? []
      const found = await listDeliveries(db, id, { before, limit: limit + 1 })
      const { rows, nextCursor } = cursors.page(found, limit, (row) => [row.id])
      return { items: rows.map(viewDelivery), nextCursor }
    },
  )

  app.post(
    '/webhooks/:id/actions/test',
    {
      config: { permission: 'webhooks:write', errors: [WebhookNotFound] },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send it a test now, and say how that went',
        params,
        response: { 200: WebhookDeliverySchema },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = request.user?.username ?? ''
      const test = { id: newId('delivery'), webhookId: id, actor, nowMs: now() }
      return await deliverNow(id, testMessage(test))
    },
  )

  app.post(
    '/webhooks/:id/actions/redeliver',
    {
      config: {
        permission: 'webhooks:write',
        errors: [WebhookNotFound, EventNotFound, BeyondYourEvents],
      },
      schema: {
        operationId: 'redeliverWebhook',
        tags,
        summary: 'Tell it an event once more, now, and say how that went',
        params,
        body: RedeliverSchema,
        response: { 200: WebhookDeliverySchema },
      },
    },
    async (request) => {
      const { eventId } = request.body
      const [event] = await deps.events.after(eventId - 1, 1)
      if (event?.id !== eventId) throw new EventNotFound(eventId)
      requireOwnEvents(request.user, [event.event.kind])
      return await deliverNow(request.params.id, messageOf(deps.controlPlaneId, event))
    },
  )

  app.post(
    '/webhooks/:id/actions/rotate-secret',
    {
      config: { permission: 'webhooks:write', secretAnswer: true, errors: [WebhookNotFound] },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Make a new secret, shown this once; the old one signs too for a while',
        params,
        body: RotateSecretSchema,
        response: { 200: CreatedWebhookSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { overlapSeconds = DEFAULT_OVERLAP_SECONDS } = request.body
      const secret = newWebhookSecret()
      const row = await write(async (unit) => {
        const before = await requireWebhook(unit, id)
        await unit.emit({
          kind: 'webhook',
          id,
          action: 'secret-rotated',
          actor: request.user?.username ?? '',
          data: { overlapSeconds },
        })
        return await updateWebhook(unit, id, {
          secret: box.seal(secret, purposeOf(id)),
          old_secret: before.secret,
          old_secret_until_ms: now() + overlapSeconds * 1000,
          revision: before.revision + 1,
        })
      })
      reply.header('etag', etagOf(row.revision))
      return { ...viewWebhook(row, now()), secret }
    },
  )
}
