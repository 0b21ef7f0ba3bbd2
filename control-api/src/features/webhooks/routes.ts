// SPDX-License-Identifier: MIT
// Webhooks: who elsewhere is told of events.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { IfMatchSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { AddressRefused } from '../../api-shapes/errors.ts'
import { newId } from '../../base/ids.ts'
import { isMailAddress } from '../../environment/smtp.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { webhookActionRoutes } from './action-routes.ts'
import type { WebhookDeps } from './deps.ts'
import { NO_FAILURE, purposeOf } from './dispatcher.ts'
import {
  BeyondYourEvents,
  MailAddressRefused,
  MailNotSetUp,
  TooManyWebhooks,
  UrlRefused,
  WebhookNotFound,
} from './errors.ts'
import { MAILTO } from './mail.ts'
import { newWebhookSecret, requireOwnEvents } from './rules.ts'
import {
  CreatedWebhookSchema,
  NewWebhookSchema,
  WebhookIdSchema,
  type WebhookPatch,
  WebhookPatchSchema,
  WebhookSchema,
} from './schema.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  requireWebhook,
  updateWebhook,
  viewWebhook,
  type WebhookRow,
} from './store.ts'

const WEBHOOKS_MAX = 100
const URL_ERRORS = [UrlRefused, AddressRefused, MailAddressRefused, MailNotSetUp]
const tags = ['webhooks']
const params = Type.Object({ id: WebhookIdSchema })
const cursors = defineCursor('webhooks', 'text')

export const webhookRoutes = (deps: WebhookDeps) => async (app: App) => {
  const { db, write, now, box, dispatcher } = deps
  await webhookActionRoutes(deps)(app)

  const show = (reply: FastifyReply, row: WebhookRow) => {
    reply.header('etag', etagOf(row.revision))
    return viewWebhook(row, now())
  }
  const requireUrl = (text: string): void => {
    if (text.startsWith(MAILTO)) {
      if (!isMailAddress(text.slice(MAILTO.length))) throw new MailAddressRefused(text)
      if (!deps.sendsMail) throw new MailNotSetUp()
      return
    }
    const url = URL.parse(text)
    if (!url || url.username || url.password) throw new UrlRefused(text)
    deps.guard.checkLiteral(url)
  }

  app.get(
    '/webhooks',
    {
      config: { permission: 'webhooks:read' },
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'Webhooks, newest first, without their secrets',
        querystring: PageQuerySchema,
        response: { 200: pageOf(WebhookSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [before] = cursors.read(cursor) ?? []
      const found = await listWebhooks(db, { before, limit: limit + 1 })
      const { rows, nextCursor } = cursors.page(found, limit, ({ id }) => [id])
      return { items: rows.map((row) => viewWebhook(row, now())), nextCursor }
    },
  )

  app.post(
    '/webhooks',
    {
      config: {
        permission: 'webhooks:write',
        secretAnswer: true,
        errors: [...URL_ERRORS, TooManyWebhooks, BeyondYourEvents],
      },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Make a webhook; its secret is shown this once',
        description:
          'It is told of what happens from now on, in order, each event at least once, signed as Standard Webhooks has it; a `mailto:` address by mail, without a signature. Tell no secret in the URL: it is shown and recorded.',
        body: NewWebhookSchema,
        response: { 201: CreatedWebhookSchema },
      },
    },
    async (request, reply) => {
      const { url, description = '', events = ['*'] } = request.body
      requireUrl(url)
      requireOwnEvents(request.user, events)
      const actor = request.user?.username ?? ''
      const secret = newWebhookSecret()
      const row = await write(async (unit) => {
        if ((await countWebhooks(unit.trx)) >= WEBHOOKS_MAX) throw new TooManyWebhooks(WEBHOOKS_MAX)
        const id = newId('webhook')
        const after = { url, description, events }
        const data = { after }
        const eventId = await unit.emit({ kind: 'webhook', id, action: 'created', actor, data })
        const made: WebhookRow = {
          id,
          url,
          description,
          events: JSON.stringify(events),
          revision: 1,
          secret: box.seal(secret, purposeOf(id)),
          old_secret: null,
          old_secret_until_ms: null,
          last_event_id: eventId,
          ...NO_FAILURE,
          disabled_at_ms: null,
          disabled_reason: null,
          created_at_ms: now(),
          created_by: actor,
        }
        await insertWebhook(unit, made)
        return made
      })
      reply.code(201).header('location', `/api/v1/webhooks/${row.id}`)
      return { ...show(reply, row), secret }
    },
  )

  app.get(
    '/webhooks/:id',
    {
      config: { permission: 'webhooks:read', errors: [WebhookNotFound] },
      schema: {
        operationId: 'getWebhook',
        tags,
        summary: 'One webhook; its ETag is for changing it',
        params,
        response: { 200: WebhookSchema },
      },
    },
    async ({ params: { id } }, reply) => {
      const row = await findWebhook(db, id)
      if (!row) throw new WebhookNotFound(id)
      return show(reply, row)
    },
  )

  app.patch(
    '/webhooks/:id',
    {
      config: {
        permission: 'webhooks:write',
        errors: [WebhookNotFound, ...URL_ERRORS, BeyondYourEvents],
      },
      schema: {
        operationId: 'updateWebhook',
        tags,
        summary: 'Change a webhook, or disable or enable it',
        params,
        headers: IfMatchSchema,
        body: WebhookPatchSchema,
        response: { 200: WebhookSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const patch = request.body
      if (patch.url !== undefined) requireUrl(patch.url)
      const changed = await write(async (unit) => {
        const before = await requireWebhook(unit, id)
        requireIfMatch(request.headers['if-match'], etagOf(before.revision))
        // Also of another's events to an address of one's own.
        requireOwnEvents(request.user, patch.events ?? JSON.parse(before.events))
        const actor = request.user?.username ?? ''
        const eventId = await unit.emit({
          kind: 'webhook',
          id,
          action: 'changed',
          actor,
          data: { before: shownOf(before), after: { ...shownOf(before), ...patch } },
        })
        unit.afterCommit(() => dispatcher.changed(id))
        return await updateWebhook(unit, id, {
          revision: before.revision + 1,
          ...columnsOf(patch),
          // Another receiver did not ask to be waited for.
          ...(patch.url !== undefined && patch.url !== before.url && { next_attempt_at_ms: null }),
          ...(patch.disabled === undefined
            ? {}
            : switchOf(before, patch.disabled, { actor, eventId, nowMs: now() })),
        })
      })
      return show(reply, changed)
    },
  )

  app.delete(
    '/webhooks/:id',
    {
      config: { permission: 'webhooks:write', errors: [WebhookNotFound] },
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook: what it was not told yet it is not told any more',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await write(async (unit) => {
        const row = await requireWebhook(unit, id)
        requireIfMatch(request.headers['if-match'], etagOf(row.revision))
        await deleteWebhook(unit, id)
        const data = { before: shownOf(row) }
        await unit.emit({
          kind: 'webhook',
          id,
          action: 'deleted',
          actor: request.user?.username ?? '',
          data,
        })
        unit.afterCommit(() => dispatcher.changed(id))
      })
      return reply.code(204).send(null)
    },
  )
}

const shownOf = ({ url, description, events, disabled_at_ms }: WebhookRow) => ({
  url,
  description,
  events: JSON.parse(events),
  disabled: disabled_at_ms !== null,
})

const columnsOf = ({ url, description, events }: WebhookPatch): Partial<WebhookRow> => ({
  ...(url !== undefined && { url }),
  ...(description !== undefined && { description }),
  ...(events && { events: JSON.stringify(events) }),
})

type Switched = { actor: string; eventId: number; nowMs: number }

/** Enabled, it begins with what happens from now on: days of old news at once help nobody. */
function switchOf(
  { disabled_at_ms }: WebhookRow,
  disabled: boolean,
  { actor, eventId, nowMs }: Switched,
): Partial<WebhookRow> {
  if (disabled === (disabled_at_ms !== null)) return {}
  if (disabled) return { disabled_at_ms: nowMs, disabled_reason: `Disabled by ${actor}` }
  return { disabled_at_ms: null, disabled_reason: null, last_event_id: eventId, ...NO_FAILURE }
}
