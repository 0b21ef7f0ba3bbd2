// SPDX-License-Identifier: MIT
// Signing in and out, and one's own password.
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import {
  AccountDisabled,
  NotSignedIn,
  SamePassword,
  TooManyAttempts,
  WrongCredentials,
} from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { hashFor, TooManySignIns } from '../../people/passwords.ts'
import { SecondFactorRequired, WrongCode } from '../../people/proof.ts'
import { endSignIns, type OtherWaysIn } from '../../people/recovery.ts'
import type { SecondFactor } from '../../people/second-factor.ts'
import { setPassword, signedIn, type User, type UserStore } from '../../people/user-store.ts'
import { limits } from '../../plugins/limits.ts'
import { COOKIE_PATH, SESSION_COOKIE } from '../../plugins/session.ts'
import type { StartSession } from '../../plugins/start-session.ts'
import { createFailedSignIns } from './failed-sign-ins.ts'
import { ownSessionsRoutes } from './own-sessions-routes.ts'
import { ChangePasswordSchema, CredentialsSchema, SessionSchema } from './schema.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import {
  createSignIn,
  createSignInKey,
  provePassword,
  requireUnchanged,
  setDevice,
} from './sign-in.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import type { ViewSession } from './view.ts'

type Deps = {
  db: Kysely<Database>
  users: UserStore
  write: Write
  now: () => number
  throttle: SignInThrottle
  secondFactor: SecondFactor
  startSession: StartSession
  view: ViewSession
  waysIn: OtherWaysIn
}

const tags = ['session']

/** Whom the cookie stands for; null: nobody (any more). */
export async function userOfSession(
  request: FastifyRequest,
  users: UserStore,
): Promise<SignedInUser | null> {
  const id = request.session?.userId
  return id === undefined ? null : signedInUser(users, id)
}

/** With all that the user may now; null: gone or disabled. */
export async function signedInUser(users: UserStore, id: string): Promise<SignedInUser | null> {
  const user = await users.byId(id)
  return user && !user.disabled ? signedIn(user) : null
}

/** What is other with a token: it says less, and for as long as it lives. */
const ofToken = ({ permissions, token }: SignedInUser) =>
  token && {
    permissions,
    expiresAt: new Date(token.expiresAtMs).toISOString(),
    token: { id: token.id, name: token.name },
  }

export const sessionRoutes = (deps: Deps) => {
  const { users, write, now, startSession, throttle, view, waysIn } = deps
  const tellFailure = createFailedSignIns({ write, now })
  const signIn = createSignIn({ ...deps, tellFailure })
  const current = async (request: FastifyRequest): Promise<User> => {
    const user = request.user && (await users.byId(request.user.id))
    if (!user) throw new NotSignedIn()
    return user
  }

  return async (app: App): Promise<void> => {
    await secondFactorRoutes({ ...deps, current })(app)
    await ownSessionsRoutes({ ...deps, current })(app)
    app.post(
      '/session',
      {
        config: {
          permission: 'public',
          // Once it is read whose it would be: strangers at an address do not use up what its people have.
          rateLimit: {
            ...limits.signIn,
            hook: 'preValidation',
            keyGenerator: createSignInKey(deps),
          },
          errors: [
            WrongCredentials,
            SecondFactorRequired,
            WrongCode,
            AccountDisabled,
            TooManyAttempts,
            TooManySignIns,
          ],
        },
        schema: {
          operationId: 'signInUser',
          tags,
          summary: 'Sign in; the answer sets the session cookie',
          body: CredentialsSchema,
          response: { 201: SessionSchema },
        },
      },
      async (request, reply) => {
        const user = await signIn(request, reply, request.body)
        reply.code(201)
        return view(user, now())
      },
    )

    app.get(
      '/session',
      {
        config: { permission: 'session:own', forTokensToo: true, errors: [] },
        schema: {
          operationId: 'getSession',
          tags,
          summary: 'Who is signed in, or whose token this is, and what they may do',
          response: { 200: SessionSchema },
        },
      },
      async (request) => {
        const session = view(await current(request), request.session.signedInAtMs ?? now())
        return { ...session, ...(request.user && ofToken(request.user)) }
      },
    )

    app.delete(
      '/session',
      {
        config: { permission: 'session:own', errors: [] },
        schema: {
          operationId: 'signOut',
          tags,
          summary: 'End this session',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id: userId = '', username: actor = '' } = request.user ?? {}
        await request.session.destroy()
        await write((unit) => unit.emit({ kind: 'session', id: userId, action: 'ended', actor }))
        reply.clearCookie(SESSION_COOKIE, { path: COOKIE_PATH })
        return reply.code(204).send(null)
      },
    )

    app.put(
      '/session/password',
      {
        config: {
          permission: 'session:own',
          errors: [WrongCredentials, TooManyAttempts, TooManySignIns, SamePassword],
        },
        schema: {
          operationId: 'changePassword',
          tags,
          summary: 'Choose a new password; ends your other sessions, and your tokens if you say so',
          body: ChangePasswordSchema,
          response: { 200: SessionSchema },
        },
      },
      async (request, reply) => {
        const user = await current(request)
        const { currentPassword, newPassword, revokeTokens } = request.body
        await provePassword(request, user, { password: currentPassword, throttle })
        if (newPassword === currentPassword) throw new SamePassword()
        const passwordHash = await hashFor(user.id, newPassword)
        await startSession(request, user.id, async (unit) => {
          await requireUnchanged(unit, user)
          await setPassword(unit, { userId: user.id, passwordHash, nowMs: now() })
          await endSignIns(unit, user.id)
          if (revokeTokens) await waysIn.revokeTokens(unit, user.id, user.username)
          await unit.emit({
            kind: 'session',
            id: user.id,
            action: 'password-changed',
            actor: user.username,
          })
        })
        const changed = (await users.byId(user.id)) ?? user
        setDevice(reply, throttle, changed)
        return view(changed, now())
      },
    )
  }
}
