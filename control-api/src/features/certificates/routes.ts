// SPDX-License-Identifier: MIT
// Certificates of the farm's sites: kept with versions, shown without their keys, and where they are served.
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { type Static, Type } from 'typebox'
import { scopeOf } from '../../access/scope.ts'
import { findManaged } from '../../acme/managed-store.ts'
import {
  DryRunQuerySchema,
  IfMatchSchema,
  PageQuerySchema,
  pageOf,
} from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { configsGiving } from '../../assignments/store.ts'
import type { Write } from '../../audit/write.ts'
import {
  CertificateExists,
  CertificateInUse,
  CertificateInvalid,
  CertificateManaged,
  CertificateNotFound,
  CertificateVersionNotFound,
  TooManyCertificates,
} from '../../certificates/errors.ts'
import type { CertificateKeeper } from '../../certificates/keep.ts'
import { servedWhere } from '../../certificates/served-store.ts'
import {
  type CertificateWithLatest,
  deleteCertificate,
  findCertificate,
  findVersion,
  listByEnd,
  listByName,
  listVersions,
} from '../../certificates/store.ts'
import type { Database } from '../../db/database.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { limits } from '../../plugins/limits.ts'
import {
  CertificateCheckSchema,
  CertificateConfigsSchema,
  CertificateNameSchema,
  CertificateQuerySchema,
  CertificateRenewalsSchema,
  CertificateSchema,
  CertificateVersionDetailSchema,
  CertificateVersionSchema,
  NewCertificateSchema,
  NewCertificateVersionSchema,
  ServedCertificateSchema,
} from './schema.ts'
import { viewCertificate, viewCheck, viewVersion } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  keeper: CertificateKeeper
  /** What keeps a certificate, in words; empty: nothing. */
  usesOf: (name: string) => Promise<string[]>
  /** Starts the rollouts that renew it. */
  rollOut: (
    certificate: { name: string; latest: number },
    author: { id: string | null; username: string },
  ) => Promise<Static<typeof CertificateRenewalsSchema>['items']>
}

const tags = ['certificates']
const byName = defineCursor('certificates', 'text')
const byEnd = defineCursor('certificates-by-end', 'integer', 'text')
const byNumber = defineCursor('certificate-versions', 'integer')
const byPlace = defineCursor('served-certificates', 'integer', 'text', 'text')
const named = Type.Object({ name: CertificateNameSchema })
const numbered = Type.Object({
  name: CertificateNameSchema,
  number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
const permission = 'certificates:read' as const

export const certificateRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, keeper } = deps

  const show = (reply: FastifyReply, row: CertificateWithLatest) => {
    reply.header('etag', etagOf(row.revision))
    return viewCertificate(row, now())
  }
  const mustFind = async (name: string) => {
    const row = await findCertificate(db, name)
    if (!row) throw new CertificateNotFound(name)
    return row
  }

  app.get(
    '/certificates',
    {
      config: { permission, errors: [] },
      schema: {
        operationId: 'listCertificates',
        tags,
        summary: 'Certificates with their newest versions, without keys',
        querystring: CertificateQuerySchema,
        response: { 200: pageOf(CertificateSchema) },
      },
    },
    async ({ query: { cursor, limit = 100, q = '', order = 'name' } }) => {
      const page = { limit: limit + 1, q: q.toLowerCase() }
      if (order === 'end') {
        const after = byEnd.read(cursor) ?? ([0, ''] as const)
        const found = await listByEnd(db, { ...page, after })
        const { rows, nextCursor } = byEnd.page(found, limit, (one) => [one.not_after_ms, one.name])
        return { items: rows.map((row) => viewCertificate(row, now())), nextCursor }
      }
      const [after = ''] = byName.read(cursor) ?? []
      const found = await listByName(db, { ...page, after })
      const { rows, nextCursor } = byName.page(found, limit, ({ name }) => [name])
      return { items: rows.map((row) => viewCertificate(row, now())), nextCursor }
    },
  )

  app.post(
    '/certificates',
    {
      config: {
        permission: 'certificates:write',
        rateLimit: limits.expensive,
        errors: [CertificateInvalid, CertificateExists, TooManyCertificates],
      },
      schema: {
        operationId: 'createCertificate',
        tags,
        summary: 'Keep a certificate and its key under a name that configs use',
        description:
          'The chain and the key are held against each other first; `errors` of a refusal point into the body and name the line of the PEM. The key is sealed at rest, and no answer holds it. `dryRun=1` only says what would be kept. `certificate_exists`: give that one a new version.',
        querystring: DryRunQuerySchema,
        body: NewCertificateSchema,
        response: { 200: CertificateCheckSchema, 201: CertificateSchema },
      },
    },
    async (request, reply) => {
      const { body, query } = request
      if (query.dryRun === '1') {
        if (await findCertificate(db, body.name)) throw new CertificateExists(body.name)
        return viewCheck(await keeper.check(body))
      }
      await keeper.create({ ...body, source: { kind: 'upload' }, actor: actorOf(request) })
      reply.code(201).header('location', `/api/v1/certificates/${body.name}`)
      return show(reply, await mustFind(body.name))
    },
  )

  app.get(
    '/certificates/:name',
    {
      config: { permission, errors: [CertificateNotFound] },
      schema: {
        operationId: 'getCertificate',
        tags,
        summary: 'One certificate; its ETag is for changing it',
        params: named,
        response: { 200: CertificateSchema },
      },
    },
    async ({ params: { name } }, reply) => show(reply, await mustFind(name)),
  )

  app.delete(
    '/certificates/:name',
    {
      config: {
        permission: 'certificates:write',
        heavy: true,
        errors: [CertificateNotFound, CertificateInUse, CertificateManaged],
      },
      schema: {
        operationId: 'deleteCertificate',
        tags,
        summary: 'Delete a certificate with all its versions and their keys',
        description:
          '409 `certificate_in_use` says what keeps it: configs whose newest or released version names it, and nodes that were told to serve it. `certificate_managed`: end its management first.',
        params: named,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const uses = await deps.usesOf(name)
      await write(async (unit) => {
        const row = await findCertificate(unit.trx, name)
        if (!row) throw new CertificateNotFound(name)
        requireIfMatch(request.headers['if-match'], etagOf(row.revision))
        if (await findManaged(unit.trx, name)) throw new CertificateManaged(name)
        if (uses.length > 0) throw new CertificateInUse(name, uses)
        await deleteCertificate(unit, name)
        const { latest, version } = row
        const data = { before: { version: latest, fingerprint: version.fingerprint }, after: null }
        const actor = actorOf(request)
        await unit.emit({ kind: 'certificate', id: name, action: 'removed', actor, data })
      })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/certificates/:name/versions',
    {
      config: { permission, errors: [CertificateNotFound] },
      schema: {
        operationId: 'listCertificateVersions',
        tags,
        summary: 'The versions of a certificate, newest first',
        params: named,
        querystring: PageQuerySchema,
        response: { 200: pageOf(CertificateVersionSchema) },
      },
    },
    async ({ params: { name }, query: { cursor, limit = 100 } }) => {
      await mustFind(name)
      const [before = null] = byNumber.read(cursor) ?? []
      const found = await listVersions(db, name, { before, limit: limit + 1 })
      const { rows, nextCursor } = byNumber.page(found, limit, ({ number }) => [number])
      return { items: rows.map(viewVersion), nextCursor }
    },
  )

  app.post(
    '/certificates/:name/versions',
    {
      config: {
        permission: 'certificates:write',
        rateLimit: limits.expensive,
        errors: [CertificateInvalid, CertificateNotFound],
      },
      schema: {
        operationId: 'addCertificateVersion',
        tags,
        summary: 'Renew a certificate: its next version',
        description:
          'Nodes go on with the version they have until a rollout brings them the new one. The newest version’s very chain and key again make no new version. `dryRun=1` only says what would be kept.',
        params: named,
        headers: IfMatchSchema,
        querystring: DryRunQuerySchema,
        body: NewCertificateVersionSchema,
        response: {
          200: Type.Union([CertificateCheckSchema, CertificateSchema]),
          201: CertificateSchema,
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const version = { ...request.body, name }
      const isSeen = ({ revision }: CertificateWithLatest) =>
        requireIfMatch(request.headers['if-match'], etagOf(revision))
      if (request.query.dryRun === '1') {
        isSeen(await mustFind(name))
        return viewCheck(await keeper.check(version))
      }
      const actor = actorOf(request)
      const added = await keeper.addVersion(
        { ...version, source: { kind: 'upload' }, actor },
        isSeen,
      )
      reply.code(added.created ? 201 : 200)
      return show(reply, await mustFind(name))
    },
  )

  app.get(
    '/certificates/:name/versions/:number',
    {
      config: { permission, errors: [CertificateVersionNotFound] },
      schema: {
        operationId: 'getCertificateVersion',
        tags,
        summary: 'One version with its chain, as clients get it',
        params: numbered,
        response: { 200: CertificateVersionDetailSchema },
      },
    },
    async ({ params: { name, number } }) => {
      const row = await findVersion(db, name, number)
      if (!row) throw new CertificateVersionNotFound(name, number)
      return { ...viewVersion(row), chain: row.chain }
    },
  )

  app.post(
    '/certificates/:name/actions/roll-out',
    {
      config: {
        permission: 'rollouts:run',
        heavy: true,
        rateLimit: limits.expensive,
        errors: [CertificateNotFound],
      },
      schema: {
        operationId: 'rollOutCertificate',
        tags,
        summary: 'Bring its newest version to the nodes that have an older one',
        description:
          'Starts a rollout, by waves, of each version of a config that brought it there. Where nodes of a config run several of its versions, each keeps its own. What is refused is told beside what was started.',
        params: named,
        response: { 200: CertificateRenewalsSchema },
      },
    },
    async ({ params: { name }, user }) => {
      const { latest } = await mustFind(name)
      const author = { id: user?.id ?? null, username: user?.username ?? '' }
      return { items: await deps.rollOut({ name, latest }, author) }
    },
  )

  app.get(
    '/certificates/:name/configs',
    {
      config: { permission: 'nodes:read', scope: 'nodes', errors: [CertificateNotFound] },
      schema: {
        operationId: 'listCertificateConfigs',
        tags,
        summary:
          'By which versions of configs nodes were told to serve it, and how many lag behind',
        description: 'To renew it there, roll the same version of the config out again.',
        params: named,
        response: { 200: CertificateConfigsSchema },
      },
    },
    async ({ params: { name }, user }) => {
      const { latest } = await mustFind(name)
      return { items: await configsGiving(db, { name, latest }, scopeOf(user)) }
    },
  )

  app.get(
    '/certificates/:name/served',
    {
      config: { permission: 'nodes:read', scope: 'nodes', errors: [CertificateNotFound] },
      schema: {
        operationId: 'listServedCertificates',
        tags,
        summary: 'Which nodes serve it, as they say themselves, and which version',
        params: named,
        querystring: PageQuerySchema,
        response: { 200: pageOf(ServedCertificateSchema) },
      },
    },
    async ({ params: { name }, query: { cursor, limit = 100 }, user }) => {
      await mustFind(name)
      const place = byPlace.read(cursor)
      const after = place ? { number: place[0], nodeId: place[1], host: place[2] } : null
      const scope = scopeOf(user)
      const found = await servedWhere(db, name, { after, limit: limit + 1, scope })
      const { rows, nextCursor } = byPlace.page(found, limit, (one) => [
        one.number,
        one.nodeId,
        one.host,
      ])
      const items = rows.map((one) => ({
        node: { id: one.nodeId, name: one.nodeName },
        host: one.host,
        version: one.number,
        fingerprint: one.fingerprint,
        notAfter: new Date(one.notAfterMs).toISOString(),
        since: new Date(one.sinceMs).toISOString(),
      }))
      return { items, nextCursor }
    },
  )
}
