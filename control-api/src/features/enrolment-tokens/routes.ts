// SPDX-License-Identifier: MIT
// Tokens that make a machine a node, once per use.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import type { Authority } from '../../ca/authority.ts'
import type { Database } from '../../db/database.ts'
import type { Write } from '../../db/write.ts'
import { EnrolmentTokenNotFound } from '../../errors.ts'
import type { App } from '../../fastify.ts'
import { PageQuerySchema, pageOf, TokenIdSchema } from '../../schema/common.ts'
import { requireWithin, scopeOf } from '../../scope.ts'
import {
  CreatedEnrolmentTokenSchema,
  EnrolmentTokenSchema,
  NewEnrolmentTokenSchema,
} from './schema.ts'
import { createToken, deleteToken, listTokens } from './store.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  agentUrl: string
  /** null: plain HTTP, where there is nothing to pin. */
  authority: Pick<Authority, 'fingerprint'> | null
}

const tags = ['enrolment tokens']

export const enrolmentTokenRoutes =
  ({ db, write, now, agentUrl, authority }: Deps) =>
  async (app: App) => {
    app.get(
      '/enrolment-tokens',
      {
        config: { permission: 'nodes:enrol', scope: 'nodes' },
        schema: {
          operationId: 'listEnrolmentTokens',
          tags,
          summary: 'Enrolment tokens, newest first, without their secrets',
          querystring: PageQuerySchema,
          response: { 200: pageOf(EnrolmentTokenSchema) },
        },
      },
      async ({ query, user }) => {
        const limit = query.limit ?? 100
        const rows = await listTokens(db, {
          before: query.cursor,
          limit: limit + 1,
          scope: scopeOf(user),
        })
        const items = rows.slice(0, limit)
        return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
      },
    )

    app.post(
      '/enrolment-tokens',
      {
        config: { permission: 'nodes:enrol', scope: 'nodes' },
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
        config: { permission: 'nodes:enrol', scope: 'nodes' },
        schema: {
          operationId: 'deleteEnrolmentToken',
          tags,
          summary: 'Delete a token; nodes that enrolled with it stay',
          params: Type.Object({ id: TokenIdSchema }),
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
