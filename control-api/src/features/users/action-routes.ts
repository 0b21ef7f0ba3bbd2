// SPDX-License-Identifier: MIT
// What administrators do for people who are locked out, or should be.
import { Type } from 'typebox'
import { UserIdSchema } from '../../api-shapes/common.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { hashFor, oneTimePassword } from '../../people/passwords.ts'
import { endAllWaysIn, endSignIns, type OtherWaysIn } from '../../people/recovery.ts'
import {
  removeSecondFactor,
  setOneTimePassword,
  type User,
  updateUser,
} from '../../people/user-store.ts'
import { actorOf, changeUser } from './change.ts'
import { LastAdmin, OwnAccount, UserNotFound } from './errors.ts'
import { OneTimePasswordSchema } from './schema.ts'

type Deps = { write: Write; waysIn: OtherWaysIn }

const tags = ['users']
const params = Type.Object({ id: UserIdSchema })
const ENDS =
  'Ends sessions, known browsers, API tokens and identities at the provider that were linked.'
const REFUSALS = [OwnAccount, UserNotFound, LastAdmin]

export const userActionRoutes =
  ({ write, waysIn }: Deps) =>
  async (app: App) => {
    /** Each ends the user's sessions: who was let in by what is no longer good must prove it anew. Resets end
     * tokens and linked identities, too. */
    const act = (
      actor: SignedInUser,
      { id, action }: { id: string; action: string },
      effect: (unit: Unit, user: User) => Promise<void>,
    ) => {
      // A borrowed session must not get at the password of its owner.
      if (id === actor.id) throw new OwnAccount()
      return write((unit) =>
        changeUser(unit, { actor, id }, async (user) => {
          await effect(unit, user)
          await updateUser(unit, id, { revision: user.revision + 1 })
          await (action === 'sessions-ended'
            ? endSignIns(unit, id)
            : endAllWaysIn(unit, waysIn, { userId: id, actor: actor.username }))
          const data = { username: user.username }
          await unit.emit({ kind: 'user', id, action, actor: actor.username, data })
        }),
      )
    }

    app.post(
      '/users/:id/actions/reset-password',
      {
        config: { permission: 'users:write', secretAnswer: true, errors: REFUSALS },
        schema: {
          operationId: 'resetUserPassword',
          tags,
          summary:
            'Give a user a one-time password, shown this once; ends all that lets the user in',
          description: ENDS,
          params,
          response: { 200: OneTimePasswordSchema },
        },
      },
      async (request) => {
        const { id } = request.params
        const password = oneTimePassword()
        const actor = actorOf(request)
        const passwordHash = await hashFor(actor.id, password)
        await act(actor, { id, action: 'password-reset' }, (unit) =>
          setOneTimePassword(unit, { userId: id, passwordHash }),
        )
        return { oneTimePassword: password }
      },
    )

    app.post(
      '/users/:id/actions/end-sessions',
      {
        config: { permission: 'users:write', errors: REFUSALS },
        schema: {
          operationId: 'endUserSessions',
          tags,
          summary: 'Sign a user out everywhere; tokens stay',
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        await act(actorOf(request), { id, action: 'sessions-ended' }, async () => {})
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/users/:id/actions/reset-second-factor',
      {
        config: { permission: 'users:write', errors: REFUSALS },
        schema: {
          operationId: 'resetUserSecondFactor',
          tags,
          summary:
            'Take a user’s second factor away: the device is lost; ends all that lets the user in',
          description: ENDS,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        await act(actorOf(request), { id, action: 'second-factor-reset' }, (unit) =>
          removeSecondFactor(unit, id),
        )
        return reply.code(204).send(null)
      },
    )
  }
