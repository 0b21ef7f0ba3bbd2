// SPDX-License-Identifier: MIT
// A user's API tokens.
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { requireWholeFarm, WholeFarmRequired } from '../../access/scope.ts'
import { PageQuerySchema, pageOf, TokenIdSchema } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { defineError, NotAllowed, NotSignedIn } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { PROOF_REFUSALS, type Prove } from '../../people/proof.ts'
import { beyond } from './rules.ts'
import { CreatedTokenSchema, NewTokenSchema, TokenSchema } from './schema.ts'
import { createToken, findToken, listTokens, revokeToken, TooManyTokens } from './store.ts'

type Deps = { db: Kysely<Database>; write: Write; now: () => number; prove: Prove }

const TokenNotFound = defineError(
  404,
  'token_not_found',
  'No such token',
  (id: string) => `You have no token ${id}. GET /api/v1/tokens lists yours.`,
)
const BeyondOwnPermissions = defineError(
  403,
  'beyond_own_permissions',
  'More than you may yourself',
  (names: readonly string[]) =>
    `A token carries at most what you may now, and that is not ${names.join(', ')}. Leave it out, or ask an administrator.`,
)

const tags = ['tokens']
const byId = defineCursor('tokens', 'text')

export const tokenRoutes =
  ({ db, write, now, prove }: Deps) =>
  async (app: App) => {
    app.get(
      '/tokens',
      {
        config: { permission: 'tokens:own', errors: [WholeFarmRequired] },
        schema: {
          operationId: 'listTokens',
          tags,
          summary: 'Your API tokens, newest first, without their secrets',
          description: 'With `all=1` everybody’s; this needs the permission tokens:read.',
          querystring: Type.Object({
            ...PageQuerySchema.properties,
            all: Type.Optional(Type.Enum(['0', '1'])),
          }),
          response: { 200: pageOf(TokenSchema) },
        },
      },
      async (request) => {
        const { all, cursor, limit = 100 } = request.query
        const user = callerOf(request)
        if (all === '1') {
          requirePermission(user, 'tokens:read')
          requireWholeFarm(user)
        }
        const [before] = byId.read(cursor) ?? []
        const found = await listTokens(db, {
          userId: all === '1' ? null : user.id,
          ...(before !== undefined && { before }),
          limit: limit + 1,
        })
        const { rows, nextCursor } = byId.page(found, limit, (token) => [token.id])
        return { items: rows, nextCursor }
      },
    )

    app.post(
      '/tokens',
      {
        config: {
          permission: 'tokens:own',
          secretAnswer: true,
          errors: [BeyondOwnPermissions, TooManyTokens, ...PROOF_REFUSALS],
        },
        schema: {
          operationId: 'createToken',
          tags,
          summary: 'Make a token; its secret is shown this once',
          description:
            'With a session it takes your password, and a code if you have a second factor and signed in more than two minutes ago. A token made with a token says at most as much, for at most as long, and is revoked with it.',
          body: NewTokenSchema,
          response: { 201: CreatedTokenSchema },
        },
      },
      async (request, reply) => {
        const user = callerOf(request)
        const names = beyond(request.body.permissions, user.permissions)
        if (names.length > 0) throw new BeyondOwnPermissions(names)
        const stillProven = user.token ? null : await prove(request, request.body)
        reply.code(201)
        return await createToken(write, { ...request.body, user, stillProven, nowMs: now() })
      },
    )

    app.delete(
      '/tokens/:id',
      {
        config: { permission: 'tokens:own', errors: [TokenNotFound] },
        schema: {
          operationId: 'revokeToken',
          tags,
          summary: 'Revoke a token, and those made with it; at once',
          description: 'One’s own; somebody else’s needs the permission tokens:write.',
          params: Type.Object({ id: TokenIdSchema }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const user = callerOf(request)
        const { id } = request.params
        await write(async (unit) => {
          const token = await findToken(unit.trx, id)
          const isMine = token?.user_id === user.id
          if (!token || !(isMine || mayRevokeAll(user))) throw new TokenNotFound(id)
          await revokeToken(unit, token, user.username)
        })
        return reply.code(204).send(null)
      },
    )
  }

function callerOf({ user }: FastifyRequest): SignedInUser {
  if (!user) throw new NotSignedIn()
  return user
}

const mayRevokeAll = ({ permissions, scope }: SignedInUser) =>
  permissions.includes('tokens:write') && scope === null

function requirePermission(user: SignedInUser, permission: SignedInUser['permissions'][number]) {
  if (!user.permissions.includes(permission)) throw new NotAllowed(permission, user.roles)
}
