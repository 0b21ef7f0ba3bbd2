// SPDX-License-Identifier: MIT
// Tokens that make a machine a node, once per use.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { OutsideScope, requireWithin, scopeOf } from '../../access/scope.ts'
import { pageOf, TokenIdSchema } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { EnrolmentTokenNotFound, NodeNotFound } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Authority } from '../../ca/authority.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { OverrideTooLarge } from '../../json/merge-patch.ts'
import {
  CreatedEnrolmentTokenSchema,
  EnrolmentTokenDetailSchema,
  EnrolmentTokenSchema,
  EnrolmentTokensQuerySchema,
  NewEnrolmentTokenSchema,
} from './schema.ts'
import { BoundToken, createToken, deleteToken, listTokens, showToken } from './tokens.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  agentUrl: string
  /** null: plain HTTP, where there is nothing to pin. */
  authority: Pick<Authority, 'fingerprint'> | null
}

const tags = ['enrolment tokens']
const params = Type.Object({ id: TokenIdSchema })
const cursor = defineCursor('enrolment-tokens', 'text')

export const enrolmentTokenRoutes =
  ({ db, write, now, agentUrl, authority }: Deps) =>
  async (app: App) => {
    app.get(
      '/enrolment-tokens',
      {
        config: { permission: 'nodes:enrol', scope: 'nodes', errors: [] },
        schema: {
          operationId: 'listEnrolmentTokens',
          tags,
          summary: 'Enrolment tokens, newest first, without their secrets',
          querystring: EnrolmentTokensQuerySchema,
          response: { 200: pageOf(EnrolmentTokenSchema) },
        },
      },
      async ({ query, user }) => {
        const { limit = 100, usable = null } = query
        const [before] = cursor.read(query.cursor) ?? []
        const found = await listTokens(db, {
          before,
          limit: limit + 1,
          usable,
          scope: scopeOf(user),
          nowMs: now(),
        })
        const { rows, nextCursor } = cursor.page(found, limit, (token) => [token.id])
        return { items: rows, nextCursor }
      },
    )

    app.get(
      '/enrolment-tokens/:id',
      {
        config: { permission: 'nodes:enrol', scope: 'nodes', errors: [EnrolmentTokenNotFound] },
        schema: {
          operationId: 'getEnrolmentToken',
          tags,
          summary: 'A token without its secret, and the nodes that joined with it, the last first',
          params,
          response: { 200: EnrolmentTokenDetailSchema },
        },
      },
      async ({ params: { id }, user }) => {
        const token = await showToken(db, id, scopeOf(user))
        if (token === null) throw new EnrolmentTokenNotFound(id)
        return token
      },
    )

    app.post(
      '/enrolment-tokens',
      {
        config: {
          permission: 'nodes:enrol',
          scope: 'nodes',
          secretAnswer: true,
          errors: [BoundToken, NodeNotFound, OutsideScope, OverrideTooLarge],
        },
        schema: {
          operationId: 'createEnrolmentToken',
          tags,
          summary: 'Make a token; it is shown this once',
          description:
            'With `nodeId` the token gives that node a new identity and ends its old ones; name, labels, override and generations go on.',
          body: NewEnrolmentTokenSchema,
          response: { 201: CreatedEnrolmentTokenSchema },
        },
      },
      async (request, reply) => {
        const { labels = {}, nodeId } = request.body
        if (!nodeId)
          requireWithin(request.user, labels, 'what enrols with these labels would not be')
        reply.code(201)
        return await createToken(write, {
          ...request.body,
          scope: scopeOf(request.user),
          createdBy: request.user?.username ?? null,
          nowMs: now(),
          agentUrl,
          fingerprint: authority?.fingerprint() ?? null,
        })
      },
    )

    app.delete(
      '/enrolment-tokens/:id',
      {
        config: { permission: 'nodes:enrol', scope: 'nodes', errors: [EnrolmentTokenNotFound] },
        schema: {
          operationId: 'deleteEnrolmentToken',
          tags,
          summary: 'Delete a token; nodes that enrolled with it stay',
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        const actor = request.user?.username ?? ''
        if (
          !(await write((unit) => deleteToken(unit, id, { actor, scope: scopeOf(request.user) })))
        ) {
          throw new EnrolmentTokenNotFound(id)
        }
        return reply.code(204).send(null)
      },
    )
  }
