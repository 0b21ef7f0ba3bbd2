// SPDX-License-Identifier: MIT
// Signing in and out, and one's own password.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Unit, Write } from '../../db/write.ts'
import {
  AccountDisabled,
  NotSignedIn,
  SamePassword,
  TooManyAttempts,
  WrongCredentials,
} from '../../errors.ts'
import type { App, SignedInUser } from '../../fastify.ts'
import {
  hashPassword,
  TooManySignIns,
  verifyNobody,
  verifyPassword,
} from '../../people/passwords.ts'
import { endSessions } from '../../people/sessions.ts'
import type { StartSession } from '../../people/start-session.ts'
import {
  createUserStore,
  setPassword,
  signedIn,
  type User,
  type UserStore,
} from '../../people/users.ts'
import { limits } from '../../plugins/limits.ts'
import { COOKIE_PATH, SESSION_COOKIE } from '../../plugins/session.ts'
import { ChangePasswordSchema, CredentialsSchema, SessionSchema } from './schema.ts'
import { refuseWhile, Throttle } from './throttle.ts'
import type { ViewSession } from './view.ts'

type Deps = {
  users: UserStore
  write: Write
  now: () => number
  startSession: StartSession
  view: ViewSession
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

export const sessionRoutes = ({ users, write, now, startSession, view }: Deps) => {
  const hour = 3600_000
  const perAccount = new Throttle({
    free: 5,
    maxWaitMs: 30_000,
    forgetAfterMs: hour,
    maxKeys: 10_000,
  })
  const perAddress = new Throttle({
    free: 20,
    maxWaitMs: 300_000,
    forgetAfterMs: hour,
    maxKeys: 10_000,
  })

  const letIn = (account: string, address: string) =>
    refuseWhile(Math.max(perAccount.attempt(account, now()), perAddress.attempt(address, now())))

  const current = async (request: FastifyRequest): Promise<User> => {
    const user = request.user && (await users.byId(request.user.id))
    if (!user) throw new NotSignedIn()
    return user
  }

  return async (app: App): Promise<void> => {
    app.post(
      '/session',
      {
        config: {
          permission: 'public',
          rateLimit: limits.signIn,
          errors: [WrongCredentials, AccountDisabled, TooManyAttempts, TooManySignIns],
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
        const { username, password } = request.body
        const account = username.toLowerCase()
        letIn(account, request.ip)
        const user = await users.byUsername(username)
        const right = user
          ? await verifyPassword(password, user.passwordHash)
          : await verifyNobody(password)
        if (!user || !right) throw new WrongCredentials()
        perAccount.succeeded(account)
        perAddress.succeeded(request.ip)
        if (user.disabled) throw new AccountDisabled()
        await startSession(request, user.id, (unit) => requireUnchanged(unit, user))
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
          summary: 'Choose a new password; ends your other sessions',
          body: ChangePasswordSchema,
          response: { 200: SessionSchema },
        },
      },
      async (request) => {
        const user = await current(request)
        const { currentPassword, newPassword } = request.body
        const account = user.username.toLowerCase()
        letIn(account, request.ip)
        if (!(await verifyPassword(currentPassword, user.passwordHash)))
          throw new WrongCredentials()
        perAccount.succeeded(account)
        perAddress.succeeded(request.ip)
        if (newPassword === currentPassword) throw new SamePassword()
        const passwordHash = await hashPassword(newPassword)
        await startSession(request, user.id, async (unit) => {
          await requireUnchanged(unit, user)
          await setPassword(unit, { userId: user.id, passwordHash, nowMs: now() })
          await endSessions(unit, user.id)
          await unit.emit({
            kind: 'session',
            id: user.id,
            action: 'password-changed',
            actor: user.username,
          })
        })
        return view({ ...user, passwordChangeRequired: false }, now())
      },
    )
  }
}

/** Verifying takes long: what became of the account meanwhile counts. */
async function requireUnchanged({ trx }: Unit, { id, passwordHash }: User): Promise<void> {
  const user = await createUserStore(trx).byId(id)
  if (!user || user.disabled || user.passwordHash !== passwordHash) throw new WrongCredentials()
}
