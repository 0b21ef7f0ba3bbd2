// SPDX-License-Identifier: MIT
// People: who there is, and what their roles and scope let them do.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { IfMatchSchema, pageOf, UserIdSchema } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { hashFor, oneTimePassword } from '../../people/passwords.ts'
import type { OtherWaysIn } from '../../people/recovery.ts'
import { endDisabled } from '../../people/recovery.ts'
import { endSessions } from '../../people/session-store.ts'
import { createUserStore, deleteUser, insertUser, type User } from '../../people/user-store.ts'
import { userActionRoutes } from './action-routes.ts'
import { actorOf, changeUser, requireCover } from './change.ts'
import { BadScope, BeyondYours, LastAdmin, UserNotFound, UsernameTaken } from './errors.ts'
import { readScope } from './rules.ts'
import {
  CreatedUserSchema,
  NewUserSchema,
  UserPatchSchema,
  UserSchema,
  UsersQuerySchema,
  type UserView,
} from './schema.ts'
import { listUsers, saveStanding } from './store.ts'

type Deps = { db: Kysely<Database>; write: Write; now: () => number; waysIn: OtherWaysIn }

const tags = ['users']
const places = defineCursor('users', 'text')
const params = Type.Object({ id: UserIdSchema })

export const userRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, waysIn } = deps
  await userActionRoutes(deps)(app)

  app.get(
    '/users',
    {
      config: { permission: 'users:read', errors: [] },
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'Users by name, with their roles and scope',
        querystring: UsersQuerySchema,
        response: { 200: pageOf(UserSchema) },
      },
    },
    async ({ query: { cursor, limit = 100, q = '' } }) => {
      const [after] = places.read(cursor) ?? []
      const found = await listUsers(db, { after, limit: limit + 1, q })
      const { rows, nextCursor } = places.page(found, limit, ({ username }) => [username])
      return { items: rows.map(view), nextCursor }
    },
  )

  app.get(
    '/users/:id',
    {
      config: { permission: 'users:read', errors: [UserNotFound] },
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'One user; the ETag is for changing and deleting',
        params,
        response: { 200: UserSchema },
      },
    },
    async ({ params: { id } }, reply) => {
      const user = await createUserStore(db).byId(id)
      if (!user) throw new UserNotFound(id)
      reply.header('etag', etagOf(user.revision))
      return view(user)
    },
  )

  app.post(
    '/users',
    {
      config: {
        permission: 'users:write',
        secretAnswer: true,
        errors: [UsernameTaken, BadScope, BeyondYours],
      },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Add a user; the answer shows a one-time password, this once',
        description: 'Nobody gives roles that carry more than they have themselves.',
        body: NewUserSchema,
        response: { 201: CreatedUserSchema },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request)
      const { username, roles, scope: given = null } = request.body
      const scope = readScope(given)
      requireCover(actor, roles)
      const password = oneTimePassword()
      const passwordHash = await hashFor(actor.id, password)
      const user = await write(async (unit) => {
        if (await createUserStore(unit.trx).byUsername(username)) throw new UsernameTaken(username)
        const made = { username, passwordHash, roles, scope, isOneTime: true, nowMs: now() }
        const inserted = await insertUser(unit, made)
        await unit.emit({
          kind: 'user',
          id: inserted.id,
          action: 'created',
          actor: actor.username,
          data: { username, roles, scope },
        })
        return inserted
      })
      reply.code(201).header('location', `/api/v1/users/${user.id}`)
      reply.header('etag', etagOf(user.revision))
      return { ...view(user), oneTimePassword: password }
    },
  )

  app.patch(
    '/users/:id',
    {
      config: {
        permission: 'users:write',
        errors: [UserNotFound, LastAdmin, BadScope, BeyondYours],
      },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change roles or scope, disable or enable; ends the user’s sessions',
        description:
          'Disabling also revokes the user’s tokens, and no browser is known any more. 409 `last_admin`: one enabled administrator of the whole farm must be left.',
        params,
        headers: IfMatchSchema,
        body: UserPatchSchema,
        response: { 200: UserSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const actor = actorOf(request)
      const { scope, ...patch } = request.body
      const wanted = { ...patch, ...(scope !== undefined && { scope: readScope(scope) }) }
      if (wanted.roles) requireCover(actor, wanted.roles)
      const user = await write((unit) =>
        changeUser(unit, { actor, id }, async (before) => {
          requireIfMatch(request.headers['if-match'], etagOf(before.revision))
          await saveStanding(unit, before, { ...before, ...wanted })
          if (wanted.disabled && !before.disabled) {
            await endDisabled(unit, waysIn, { userId: id, actor: actor.username })
          } else await endSessions(unit, id)
          await unit.emit({
            kind: 'user',
            id,
            action: 'changed',
            actor: actor.username,
            data: { username: before.username, before: standing(before), after: wanted },
          })
        }),
      )
      if (!user) throw new UserNotFound(id)
      reply.header('etag', etagOf(user.revision))
      return view(user)
    },
  )

  app.delete(
    '/users/:id',
    {
      config: { permission: 'users:write', errors: [UserNotFound, LastAdmin, BeyondYours] },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user; histories keep the name',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const actor = actorOf(request)
      await write((unit) =>
        changeUser(unit, { actor, id }, async (before) => {
          requireIfMatch(request.headers['if-match'], etagOf(before.revision))
          await deleteUser(unit, id)
          await unit.emit({
            kind: 'user',
            id,
            action: 'deleted',
            actor: actor.username,
            data: { username: before.username, before: standing(before) },
          })
        }),
      )
      return reply.code(204).send(null)
    },
  )
}

const standing = ({ roles, scope, disabled }: User) => ({ roles, scope, disabled })

const view = (user: User): UserView => ({
  id: user.id,
  username: user.username,
  roles: user.roles,
  scope: user.scope,
  disabled: user.disabled,
  passwordChangeRequired: user.passwordChangeRequired,
  secondFactor: user.hasSecondFactor,
  createdAt: new Date(user.createdAtMs).toISOString(),
})
