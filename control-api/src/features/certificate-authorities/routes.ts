// SPDX-License-Identifier: MIT
// Certificate authorities that speak ACME: whom certificates are ordered from, and with which account.
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import {
  type AuthorityRow,
  authorityUses,
  certificatesOfAuthority,
  countAuthorities,
  deleteAuthority,
  findAuthority,
  insertAuthority,
  listAuthorities,
  newAccount,
  updateAuthority,
} from '../../acme/authority-store.ts'
import type { AcmeEngine } from '../../acme/engine/engine.ts'
import { updateManaged } from '../../acme/managed-store.ts'
import { endOrder, openOrders } from '../../acme/order-store.ts'
import { IfMatchSchema, NameSchema, PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { AddressRefused } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { Database } from '../../db/database.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { limits } from '../../plugins/limits.ts'
import {
  AuthorityExists,
  AuthorityInUse,
  AuthorityInvalid,
  AuthorityNotFound,
  TooManyAuthorities,
} from './errors.ts'
import { requireDirectoryUrl, requireRoots } from './rules.ts'
import {
  type CertificateAuthorityPatch,
  CertificateAuthorityPatchSchema,
  CertificateAuthoritySchema,
  CertificateAuthorityTestSchema,
  NewCertificateAuthoritySchema,
} from './schema.ts'
import { toldOf, viewAuthority } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  box: SecretBox
  guard: { checkLiteral(url: URL): void }
  acme: Pick<AcmeEngine, 'wake' | 'testAuthority'>
}

const AUTHORITIES_MAX = 50
const USERS_NAMED = 5
const tags = ['certificate authorities']
const params = Type.Object({ name: NameSchema })
const cursors = defineCursor('certificate-authorities', 'text')

export const certificateAuthorityRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, box, acme } = deps

  const show = async (reply: FastifyReply, row: AuthorityRow) => {
    reply.header('etag', etagOf(row.revision))
    const usedBy = (await authorityUses(db)).get(row.name) ?? 0
    return viewAuthority(row, { usedBy, nowMs: now() })
  }

  app.get(
    '/certificate-authorities',
    {
      config: { permission: 'certificates:read' },
      schema: {
        operationId: 'listCertificateAuthorities',
        tags,
        summary: 'Certificate authorities by name, without their secrets',
        querystring: PageQuerySchema,
        response: { 200: pageOf(CertificateAuthoritySchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [after = ''] = cursors.read(cursor) ?? []
      const found = await listAuthorities(db, { after, limit: limit + 1 })
      const { rows, nextCursor } = cursors.page(found, limit, ({ name }) => [name])
      const uses = await authorityUses(db)
      const view = (row: AuthorityRow) =>
        viewAuthority(row, { usedBy: uses.get(row.name) ?? 0, nowMs: now() })
      return { items: rows.map(view), nextCursor }
    },
  )

  app.post(
    '/certificate-authorities',
    {
      config: {
        permission: 'certificates:write',
        errors: [AuthorityExists, AuthorityInvalid, AddressRefused, TooManyAuthorities],
      },
      schema: {
        operationId: 'createCertificateAuthority',
        tags,
        summary: 'Name a certificate authority that certificates may be ordered from',
        description:
          'It is not asked yet: the account is made with the first order. `actions/test` says whether it answers, and which profiles it has.',
        body: NewCertificateAuthoritySchema,
        response: { 201: CertificateAuthoritySchema },
      },
    },
    async (request, reply) => {
      const { name, directoryUrl, contact = [], trustedRoots, externalAccount } = request.body
      deps.guard.checkLiteral(requireDirectoryUrl(directoryUrl))
      if (trustedRoots !== undefined) requireRoots(trustedRoots)
      const actor = actorOf(request)
      const made: AuthorityRow = {
        ...{ name, revision: 1, directory_url: directoryUrl, contact: JSON.stringify(contact) },
        trusted_roots: trustedRoots ?? null,
        ...newAccount(box, name, externalAccount ?? null),
        ...{ held_until_ms: 0, failures: 0, last_error: null },
        ...{ created_at_ms: now(), created_by: actor },
      }
      await write(async (unit) => {
        if (await findAuthority(unit.trx, name)) throw new AuthorityExists(name)
        if ((await countAuthorities(unit.trx)) >= AUTHORITIES_MAX) {
          throw new TooManyAuthorities(AUTHORITIES_MAX)
        }
        await insertAuthority(unit, made)
        await unit.emit({ ...eventOf(name, 'created'), actor, data: { after: toldOf(made) } })
      })
      reply.code(201).header('location', `/api/v1/certificate-authorities/${name}`)
      return await show(reply, made)
    },
  )

  app.get(
    '/certificate-authorities/:name',
    {
      config: { permission: 'certificates:read', errors: [AuthorityNotFound] },
      schema: {
        operationId: 'getCertificateAuthority',
        tags,
        summary: 'One certificate authority; its ETag is for changing it',
        params,
        response: { 200: CertificateAuthoritySchema },
      },
    },
    async ({ params: { name } }, reply) => await show(reply, await mustFind(db, name)),
  )

  app.patch(
    '/certificate-authorities/:name',
    {
      config: {
        permission: 'certificates:write',
        errors: [AuthorityNotFound, AuthorityInvalid],
      },
      schema: {
        operationId: 'updateCertificateAuthority',
        tags,
        summary: 'Change what its account is made with, or whose HTTPS is believed',
        description:
          'With `externalAccount` an account is made anew, and orders that are open there are made again; a `contact` is of accounts that are made from then on. A member that is left out stays as it is; null takes it away. For another directory name another authority.',
        params,
        headers: IfMatchSchema,
        body: CertificateAuthorityPatchSchema,
        response: { 200: CertificateAuthoritySchema },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const patch = request.body
      if (patch.trustedRoots) requireRoots(patch.trustedRoots)
      const changed = await write(async (unit) => {
        const before = await mustFind(unit.trx, name)
        requireIfMatch(request.headers['if-match'], etagOf(before.revision))
        const columns = columnsOf(box, before, patch)
        if (patch.externalAccount !== undefined) await beginAnew(unit, name, now())
        const after = await updateAuthority(unit, name, {
          ...columns,
          revision: before.revision + 1,
          // Perhaps that was what it failed at.
          ...{ held_until_ms: 0, failures: 0, last_error: null },
        })
        const data = { before: toldOf(before), after: toldOf(after), changed: Object.keys(patch) }
        await unit.emit({ ...eventOf(name, 'changed'), actor: actorOf(request), data })
        unit.afterCommit(() => acme.wake())
        return after
      })
      return await show(reply, changed)
    },
  )

  app.delete(
    '/certificate-authorities/:name',
    {
      config: { permission: 'certificates:write', errors: [AuthorityNotFound, AuthorityInUse] },
      schema: {
        operationId: 'deleteCertificateAuthority',
        tags,
        summary: 'Forget a certificate authority and the key of its account',
        description:
          '409 `authority_in_use` names managed certificates that name it. Certificates that it has signed stay, and are good as long as they say.',
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
        const users = await certificatesOfAuthority(unit.trx, name, USERS_NAMED + 1)
        if (users.length > 0) {
          throw new AuthorityInUse(name, users.slice(0, USERS_NAMED), users.length > USERS_NAMED)
        }
        await deleteAuthority(unit, name)
        const data = { before: toldOf(before) }
        await unit.emit({ ...eventOf(name, 'removed'), actor: actorOf(request), data })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/certificate-authorities/:name/actions/test',
    {
      config: {
        permission: 'certificates:write',
        rateLimit: limits.expensive,
        errors: [AuthorityNotFound],
      },
      schema: {
        operationId: 'testCertificateAuthority',
        tags,
        summary: 'Ask it for its directory now: whether it answers, and what it offers',
        description: 'No account is made and nothing is ordered. May take 30 s.',
        params,
        response: { 200: CertificateAuthorityTestSchema },
      },
    },
    async ({ params: { name } }) => await acme.testAuthority(await mustFind(db, name)),
  )
}

async function mustFind(db: Parameters<typeof findAuthority>[0], name: string) {
  const row = await findAuthority(db, name)
  if (!row) throw new AuthorityNotFound(name)
  return row
}

const eventOf = (id: string, action: string) => ({
  kind: 'certificate-authority' as const,
  id,
  action,
})
/** What binds an account is told once, when it is made: with another one there is another account. */
const columnsOf = (
  box: SecretBox,
  { name }: AuthorityRow,
  { contact, trustedRoots, externalAccount }: CertificateAuthorityPatch,
): Partial<AuthorityRow> => ({
  ...(contact !== undefined && { contact: JSON.stringify(contact) }),
  ...(trustedRoots !== undefined && { trusted_roots: trustedRoots }),
  ...(externalAccount !== undefined && newAccount(box, name, externalAccount)),
})

/** The CA has these orders from an account that is not used any more. */
async function beginAnew(unit: Unit, authority: string, nowMs: number): Promise<void> {
  for (const order of await openOrders(unit.trx)) {
    if (order.authority !== authority || order.order_url === null) continue
    await endOrder(unit, order.id, { state: 'cancelled', ended_at_ms: nowMs })
    await updateManaged(unit, order.certificate, { next_action_at_ms: nowMs })
  }
}
