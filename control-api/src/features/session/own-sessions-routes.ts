// SPDX-License-Identifier: MIT
// Where one is signed in, and ending that from afar.
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { defineError } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { endSession, endSessions, listSessions } from '../../people/session-store.ts'
import type { User } from '../../people/user-store.ts'
import { OwnSessionIdSchema, OwnSessionsSchema } from './schema.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  current: (request: FastifyRequest) => Promise<User>
}

const tags = ['session']
const SessionNotFound = defineError(
  404,
  'session_not_found',
  'No such session',
  () => 'It has ended, or is not yours. GET /api/v1/session/list shows yours.',
)

export const ownSessionsRoutes =
  ({ db, write, now, current }: Deps) =>
  async (app: App): Promise<void> => {
    const tell = (unit: Unit, user: User) =>
      unit.emit({ kind: 'session', id: user.id, action: 'ended', actor: user.username })

    app.get(
      '/session/list',
      {
        config: { permission: 'session:own', errors: [] },
        schema: {
          operationId: 'listOwnSessions',
          tags,
          summary: 'Your sessions, newest first: since when, from where, with what',
          response: { 200: OwnSessionsSchema },
        },
      },
      async (request) => {
        const { id } = await current(request)
        const { sessionId } = request.session
        return { items: await listSessions(db, { userId: id, sessionId, nowMs: now() }) }
      },
    )

    app.delete(
      '/session/list/:id',
      {
        config: { permission: 'session:own', errors: [SessionNotFound] },
        schema: {
          operationId: 'endOwnSession',
          tags,
          summary: 'End one of your sessions',
          params: Type.Object({ id: OwnSessionIdSchema }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const user = await current(request)
        const ended = await write(async (unit) => {
          const found = await endSession(unit, { id: request.params.id, userId: user.id })
          if (found) await tell(unit, user)
          return found
        })
        if (!ended) throw new SessionNotFound()
        return reply.code(204).send(null)
      },
    )

    app.delete(
      '/session/list',
      {
        config: { permission: 'session:own', errors: [] },
        schema: {
          operationId: 'endOtherSessions',
          tags,
          summary: 'End your other sessions',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const user = await current(request)
        await write(async (unit) => {
          await endSessions(unit, user.id, request.session.sessionId)
          await tell(unit, user)
        })
        return reply.code(204).send(null)
      },
    )
  }
