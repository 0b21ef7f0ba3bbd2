// SPDX-License-Identifier: MIT
// Managed certificates: which are ordered and renewed, from whom, and how it stands.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import {
  countManaged,
  deleteManaged,
  findManaged,
  insertManaged,
  listManaged,
  lookSoon,
  type ManagedRow,
  updateManaged,
} from '../../acme/managed-store.ts'
import { listOrders } from '../../acme/order-store.ts'
import { IfMatchSchema, NameSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { findCertificate } from '../../certificates/store.ts'
import type { Reader } from '../../db/database.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { managedActionRoutes } from './action-routes.ts'
import type { ManagedDeps } from './deps.ts'
import { ManagedExists, ManagedInvalid, ManagedNotFound, TooManyManaged } from './errors.ts'
import { hostRoutes } from './host-routes.ts'
import {
  CertificateOrderSchema,
  type ManagedCertificatePatch,
  ManagedCertificatePatchSchema,
  ManagedCertificateSchema,
  ManagedQuerySchema,
  NewManagedCertificateSchema,
} from './schema.ts'
import { plain, viewManaged, viewOrders } from './view.ts'
import { requireWishes } from './wishes.ts'

const MANAGED_MAX = 10_000
const tags = ['managed certificates']
const params = Type.Object({ name: NameSchema })
const cursors = defineCursor('managed-certificates', 'text')
const orderCursors = defineCursor('certificate-orders', 'text')

export const managedCertificateRoutes = (deps: ManagedDeps) => async (app: App) => {
  const { db, write, now, acme } = deps

  const show = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const row = await mustFind(db, name)
    reply.header('etag', etagOf(row.revision))
    const [view] = await viewManaged(viewer(request), [row])
    if (!view) throw new ManagedNotFound(name)
    return view
  }
  const viewer = ({ user }: FastifyRequest): { db: Reader; nowMs: number; scope: Scope } => ({
    db,
    nowMs: now(),
    scope: scopeOf(user),
  })
  await managedActionRoutes({ ...deps, show })(app)
  await hostRoutes(deps)(app)

  app.get(
    '/managed-certificates',
    {
      config: { permission: 'certificates:read', scope: 'nodes' },
      schema: {
        operationId: 'listManagedCertificates',
        tags,
        summary: 'Managed certificates by name, each with what happens next',
        querystring: ManagedQuerySchema,
        response: { 200: pageOf(ManagedCertificateSchema) },
      },
    },
    async (request) => {
      const { cursor, limit = 100, q = '', state = null } = request.query
      const [after = ''] = cursors.read(cursor) ?? []
      const wanted = { after, limit: limit + 1, q: q.toLowerCase(), state, nowMs: now() }
      const found = await listManaged(db, wanted)
      const { rows, nextCursor } = cursors.page(found, limit, ({ name }) => [name])
      return { items: await viewManaged(viewer(request), rows), nextCursor }
    },
  )

  app.post(
    '/managed-certificates',
    {
      config: {
        permission: 'certificates:write',
        errors: [ManagedInvalid, ManagedExists, TooManyManaged],
      },
      schema: {
        operationId: 'createManagedCertificate',
        tags,
        summary: 'Order a certificate, and renew it from then on',
        description:
          'What an order brings is kept under this name: configs may say it already. A certificate that was uploaded under it is renewed by orders from then on. Whether an order succeeds is told by `state`, `next` and `lastError`, and by events.',
        body: NewManagedCertificateSchema,
        response: { 201: ManagedCertificateSchema },
      },
    },
    async (request, reply) => {
      const { name, orderNow = false, ...wish } = request.body
      const actor = actorOf(request)
      await write(async (unit) => {
        if (await findManaged(unit.trx, name)) throw new ManagedExists(name)
        if ((await countManaged(unit.trx)) >= MANAGED_MAX) throw new TooManyManaged(MANAGED_MAX)
        const challenge = wish.challenge ?? { type: 'http-01' }
        await requireWishes(unit.trx, { ...wish, challenge })
        const isThere = (await findCertificate(unit.trx, name)) !== undefined
        await insertManaged(unit, {
          ...{ name, revision: 1, key_type: 'ecdsa-p256', preferred_chain: null, roll_out: 1 },
          ...{ names: '[]', authorities: '[]', challenge: 'http-01' },
          ...columnsOf({ ...wish, challenge }),
          ...{ asked_by: orderNow || !isThere ? actor : null, random: Math.random() },
          ...{ next_action_at_ms: now(), created_at_ms: now(), created_by: actor },
        })
        const after = plain(await mustFind(unit.trx, name))
        const data = { after: { ...after, orderNow } }
        await unit.emit({ kind: 'certificate', id: name, action: 'managed', actor, data })
        unit.afterCommit(() => acme.wake())
      })
      reply.code(201).header('location', `/api/v1/managed-certificates/${name}`)
      return await show(request, reply, name)
    },
  )

  app.get(
    '/managed-certificates/:name',
    {
      config: { permission: 'certificates:read', scope: 'nodes', errors: [ManagedNotFound] },
      schema: {
        operationId: 'getManagedCertificate',
        tags,
        summary: 'One managed certificate; its ETag is for changing it',
        params,
        response: { 200: ManagedCertificateSchema },
      },
    },
    async (request, reply) => await show(request, reply, request.params.name),
  )

  app.patch(
    '/managed-certificates/:name',
    {
      config: { permission: 'certificates:write', errors: [ManagedNotFound, ManagedInvalid] },
      schema: {
        operationId: 'updateManagedCertificate',
        tags,
        summary: 'Change what is ordered, and from whom',
        description:
          'An order that is open goes on as it was begun. Names that the certificate does not have are ordered at once; names that are left out go with the next renewal.',
        params,
        headers: IfMatchSchema,
        body: ManagedCertificatePatchSchema,
        response: { 200: ManagedCertificateSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const patch = request.body
      await write(async (unit) => {
        const row = await mustFind(unit.trx, name)
        requireIfMatch(request.headers['if-match'], etagOf(row.revision))
        const before = plain(row)
        await requireWishes(unit.trx, { ...before, ...patch })
        const revision = row.revision + 1
        const changed = await updateManaged(unit, name, { ...columnsOf(patch), revision })
        await lookSoon(unit, name, now())
        const data = { before, after: plain(changed) }
        const told = { action: 'management-changed', actor: actorOf(request), data }
        await unit.emit({ kind: 'certificate', id: name, ...told })
        unit.afterCommit(() => acme.wake())
      })
      return await show(request, reply, name)
    },
  )

  app.delete(
    '/managed-certificates/:name',
    {
      config: { permission: 'certificates:write', errors: [ManagedNotFound] },
      schema: {
        operationId: 'deleteManagedCertificate',
        tags,
        summary: 'Do not renew it any more; the certificate stays',
        description: 'An order that is open is cancelled, and what it published is taken away.',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await write(async (unit) => {
        const row = await mustFind(unit.trx, name)
        requireIfMatch(request.headers['if-match'], etagOf(row.revision))
        await deleteManaged(unit, name, now())
        const told = { actor: actorOf(request), data: { before: plain(row) } }
        await unit.emit({ kind: 'certificate', id: name, action: 'management-ended', ...told })
        unit.afterCommit(() => acme.wake())
      })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/managed-certificates/:name/orders',
    {
      config: { permission: 'certificates:read', scope: 'nodes', errors: [ManagedNotFound] },
      schema: {
        operationId: 'listCertificateOrders',
        tags,
        summary: 'Its orders, newest first: those that are open, and the last that ended',
        params,
        querystring: PageQuerySchema,
        response: { 200: pageOf(CertificateOrderSchema) },
      },
    },
    async (request) => {
      const { cursor, limit = 100 } = request.query
      const row = await mustFind(db, request.params.name)
      const [before = null] = orderCursors.read(cursor) ?? []
      const found = await listOrders(db, row.name, { before, limit: limit + 1 })
      const { rows, nextCursor } = orderCursors.page(found, limit, ({ id }) => [id])
      return { items: await viewOrders(viewer(request), rows, row.next_action_at_ms), nextCursor }
    },
  )
}

async function mustFind(db: Reader, name: string): Promise<ManagedRow> {
  const row = await findManaged(db, name)
  if (!row) throw new ManagedNotFound(name)
  return row
}

function columnsOf(patch: ManagedCertificatePatch): Partial<ManagedRow> {
  const { names, keyType, authorities, challenge, preferredChain, rollOut } = patch
  return {
    ...(names && { names: JSON.stringify(names) }),
    ...(keyType && { key_type: keyType }),
    ...(authorities && {
      authorities: JSON.stringify(
        authorities.map(({ name, profile = null }) => ({ name, profile })),
      ),
    }),
    ...(challenge && {
      challenge: challenge.type,
      dns_webhook: challenge.type === 'dns-01' ? challenge.webhook : null,
    }),
    ...(preferredChain !== undefined && { preferred_chain: preferredChain }),
    ...(rollOut !== undefined && { roll_out: rollOut ? 1 : 0 }),
  }
}
