// SPDX-License-Identifier: MIT
// Programs of operators that keep DNS: told which records prove a name to a certificate authority (DNS-01).
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import {
  certificatesOfDnsWebhook,
  countDnsWebhooks,
  type DnsWebhookRow,
  deleteDnsWebhook,
  findDnsWebhook,
  insertDnsWebhook,
  listDnsWebhooks,
  sealDnsSecret,
  updateDnsWebhook,
} from '../../acme/dns-webhook-store.ts'
import type { AcmeEngine } from '../../acme/engine/engine.ts'
import { IfMatchSchema, NameSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { AddressRefused } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { Database } from '../../db/database.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import {
  DnsUrlRefused,
  DnsWebhookExists,
  DnsWebhookInUse,
  DnsWebhookNotFound,
  TooManyDnsWebhooks,
} from './errors.ts'
import {
  CreatedDnsWebhookSchema,
  type DnsWebhook,
  DnsWebhookPatchSchema,
  DnsWebhookSchema,
  NewDnsWebhookSchema,
} from './schema.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  box: SecretBox
  guard: { checkLiteral(url: URL): void }
  newSecret: () => string
  acme: Pick<AcmeEngine, 'wake'>
}

const DNS_WEBHOOKS_MAX = 50
const USERS_NAMED = 5
const tags = ['dns webhooks']
const params = Type.Object({ name: NameSchema })
const cursors = defineCursor('dns-webhooks', 'text')

export const dnsWebhookRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, box, newSecret, acme } = deps

  const show = (reply: FastifyReply, row: DnsWebhookRow): DnsWebhook => {
    reply.header('etag', etagOf(row.revision))
    return view(row)
  }
  const requireUrl = (text: string): void => {
    const url = URL.parse(text)
    if (!url || url.username || url.password) throw new DnsUrlRefused(text)
    deps.guard.checkLiteral(url)
  }
  /** With another address or secret, what failed is tried again at once. */
  const change = async (
    unit: Unit,
    before: DnsWebhookRow,
    columns: Partial<DnsWebhookRow>,
    told: { action: string; actor: string; data: Record<string, unknown> },
  ): Promise<DnsWebhookRow> => {
    const { name, revision } = before
    await unit.emit({ kind: 'dns-webhook', id: name, ...told })
    unit.afterCommit(() => acme.wake())
    const after = { ...columns, revision: revision + 1, last_error: null }
    await updateDnsWebhook(unit, name, after)
    return { ...before, ...after }
  }

  app.get(
    '/dns-webhooks',
    {
      config: { permission: 'certificates:read' },
      schema: {
        operationId: 'listDnsWebhooks',
        tags,
        summary: 'DNS webhooks by name, without their secrets',
        querystring: PageQuerySchema,
        response: { 200: pageOf(DnsWebhookSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [after = ''] = cursors.read(cursor) ?? []
      const found = await listDnsWebhooks(db, { after, limit: limit + 1 })
      const { rows, nextCursor } = cursors.page(found, limit, ({ name }) => [name])
      return { items: rows.map(view), nextCursor }
    },
  )

  app.post(
    '/dns-webhooks',
    {
      config: {
        permission: 'certificates:write',
        secretAnswer: true,
        errors: [DnsWebhookExists, DnsUrlRefused, AddressRefused, TooManyDnsWebhooks],
      },
      schema: {
        operationId: 'createDnsWebhook',
        tags,
        summary: 'Name a program that sets DNS records; its secret is shown this once',
        description:
          'Each message is signed as Standard Webhooks has it. Tell no secret in the URL: it is shown and recorded.',
        body: NewDnsWebhookSchema,
        response: { 201: CreatedDnsWebhookSchema },
      },
    },
    async (request, reply) => {
      const { name, url } = request.body
      requireUrl(url)
      const actor = actorOf(request)
      const secret = newSecret()
      const made: DnsWebhookRow = {
        ...{ name, revision: 1, url, secret: sealDnsSecret(box, name, secret), last_error: null },
        ...{ created_at_ms: now(), created_by: actor },
      }
      await write(async (unit) => {
        if (await findDnsWebhook(unit.trx, name)) throw new DnsWebhookExists(name)
        if ((await countDnsWebhooks(unit.trx)) >= DNS_WEBHOOKS_MAX) {
          throw new TooManyDnsWebhooks(DNS_WEBHOOKS_MAX)
        }
        await insertDnsWebhook(unit, made)
        const data = { after: { url } }
        await unit.emit({ kind: 'dns-webhook', id: name, action: 'created', actor, data })
      })
      reply.code(201).header('location', `/api/v1/dns-webhooks/${name}`)
      return { ...show(reply, made), secret }
    },
  )

  app.get(
    '/dns-webhooks/:name',
    {
      config: { permission: 'certificates:read', errors: [DnsWebhookNotFound] },
      schema: {
        operationId: 'getDnsWebhook',
        tags,
        summary: 'One DNS webhook; its ETag is for changing it',
        params,
        response: { 200: DnsWebhookSchema },
      },
    },
    async ({ params: { name } }, reply) => show(reply, await mustFind(db, name)),
  )

  app.patch(
    '/dns-webhooks/:name',
    {
      config: {
        permission: 'certificates:write',
        errors: [DnsWebhookNotFound, DnsUrlRefused, AddressRefused],
      },
      schema: {
        operationId: 'updateDnsWebhook',
        tags,
        summary: 'Change where the program is reached',
        params,
        headers: IfMatchSchema,
        body: DnsWebhookPatchSchema,
        response: { 200: DnsWebhookSchema },
      },
    },
    async (request, reply) => {
      const { url } = request.body
      requireUrl(url)
      const changed = await write(async (unit) => {
        const before = await mustFind(unit.trx, request.params.name)
        requireIfMatch(request.headers['if-match'], etagOf(before.revision))
        const data = { before: { url: before.url }, after: { url } }
        const actor = actorOf(request)
        return await change(unit, before, { url }, { action: 'changed', actor, data })
      })
      return show(reply, changed)
    },
  )

  app.delete(
    '/dns-webhooks/:name',
    {
      config: {
        permission: 'certificates:write',
        errors: [DnsWebhookNotFound, DnsWebhookInUse],
      },
      schema: {
        operationId: 'deleteDnsWebhook',
        tags,
        summary: 'Forget a DNS webhook',
        description:
          '409 `dns_webhook_in_use` names managed certificates whose names it proves, or whose records it is still to remove.',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await write(async (unit) => {
        const before = await mustFind(unit.trx, name)
        requireIfMatch(request.headers['if-match'], etagOf(before.revision))
        const users = await certificatesOfDnsWebhook(unit.trx, name, USERS_NAMED + 1)
        if (users.length > 0) {
          throw new DnsWebhookInUse(name, users.slice(0, USERS_NAMED), users.length > USERS_NAMED)
        }
        await deleteDnsWebhook(unit, name)
        const told = { actor: actorOf(request), data: { before: { url: before.url } } }
        await unit.emit({ kind: 'dns-webhook', id: name, action: 'removed', ...told })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/dns-webhooks/:name/actions/rotate-secret',
    {
      config: {
        permission: 'certificates:write',
        secretAnswer: true,
        errors: [DnsWebhookNotFound],
      },
      schema: {
        operationId: 'rotateDnsWebhookSecret',
        tags,
        summary: 'Give it a new secret, shown this once; the old one signs no more',
        description:
          'What the program refuses until it knows the new one is told again, so an order only takes longer.',
        params,
        response: { 200: CreatedDnsWebhookSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const secret = newSecret()
      const changed = await write(async (unit) => {
        const before = await mustFind(unit.trx, name)
        const columns = { secret: sealDnsSecret(box, name, secret) }
        const told = { action: 'secret-rotated', actor: actorOf(request), data: {} }
        return await change(unit, before, columns, told)
      })
      return { ...show(reply, changed), secret }
    },
  )
}

async function mustFind(db: Parameters<typeof findDnsWebhook>[0], name: string) {
  const row = await findDnsWebhook(db, name)
  if (!row) throw new DnsWebhookNotFound(name)
  return row
}

const view = (row: DnsWebhookRow): DnsWebhook => ({
  name: row.name,
  url: row.url,
  lastError: row.last_error,
  createdAt: new Date(row.created_at_ms).toISOString(),
  createdBy: row.created_by,
})
