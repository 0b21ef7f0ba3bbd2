// SPDX-License-Identifier: MIT
// Is it really them? Password first; whether there is a second factor is told to nobody without it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Unit, Write } from '../../db/write.ts'
import { AccountDisabled, defineError, WrongCredentials } from '../../errors.ts'
import { verifyNobody, verifyPassword } from '../../people/passwords.ts'
import type { SecondFactor } from '../../people/second-factor.ts'
import type { StartSession } from '../../people/start-session.ts'
import { createUserStore, type User, type UserStore } from '../../people/users.ts'
import { COOKIE_PATH } from '../../plugins/session.ts'
import type { TellFailure } from './failed-sign-ins.ts'
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts'
import { refuseWhile } from './throttle.ts'

export const SecondFactorRequired = defineError(
  401,
  'second_factor_required',
  'A code is needed as well',
  () => 'Send the code of your authenticator, or a recovery code, as "code" with the same request.',
)
export const WrongCode = defineError(
  401,
  'wrong_code',
  'Not the code',
  () =>
    'Codes change every 30 s and each is good once: wait for the next one. Check that the clock of your device is right, or use a recovery code.',
)

type Deps = {
  users: UserStore
  write: Write
  now: () => number
  throttle: SignInThrottle
  secondFactor: SecondFactor
  startSession: StartSession
  tellFailure: TellFailure
}
type Given = { username: string; password: string; code?: string }

const DEVICE_COOKIE = 'farmstead_device'
const DEVICE_LIFE_SECONDS = 180 * 24 * 3600

export const attemptOf = (request: FastifyRequest, username: string): Attempt => ({
  account: username.toLowerCase(),
  address: request.ip,
  device: request.cookies[DEVICE_COOKIE],
})

/** By whom sign-ins are counted: a browser that is known by itself, strangers by their address. */
export const createSignInKey =
  ({ throttle }: Pick<Deps, 'throttle'>) =>
  (request: FastifyRequest): string => {
    const { username } = (request.body ?? {}) as { username?: unknown }
    if (typeof username !== 'string') return request.ip
    return throttle.knownDevice(attemptOf(request, username)) ?? request.ip
  }

export function createSignIn(deps: Deps) {
  const { users, write, now, throttle, secondFactor, startSession, tellFailure } = deps

  const proveCode = async (user: User, code: string | undefined, attempt: Attempt) => {
    if (!user.hasSecondFactor) return
    if (code === undefined) throw new SecondFactorRequired()
    refuseWhile(throttle.attemptCode(attempt))
    const used = await write((unit) =>
      secondFactor.use(unit, { userId: user.id, code, nowMs: now() }),
    )
    if (used) {
      throttle.codeSucceeded(attempt)
      return
    }
    await tellFailure(user, attempt.address, 'wrong code')
    throw new WrongCode()
  }

  /** Who it is, by all that they must prove. */
  const prove = async ({ username, password, code }: Given, attempt: Attempt): Promise<User> => {
    const user = await users.byUsername(username)
    const right = user
      ? await verifyPassword(password, user.passwordHash, throttle.askerOf(attempt))
      : await verifyNobody(password, throttle.askerOf(attempt))
    if (!user || !right) {
      await tellFailure(user, attempt.address, 'wrong password')
      throw new WrongCredentials()
    }
    if (user.disabled) throw new AccountDisabled()
    await proveCode(user, code, attempt)
    return user
  }

  return async (request: FastifyRequest, reply: FastifyReply, given: Given): Promise<User> => {
    const attempt = attemptOf(request, given.username)
    refuseWhile(throttle.attempt(attempt))
    const user = await prove(given, attempt)
    throttle.succeeded(attempt)
    await startSession(request, user.id, async (unit) => {
      await requireUnchanged(unit, user)
      const actor = user.username
      await unit.emit({ kind: 'session', id: user.id, action: 'signed-in', actor })
    })
    reply.setCookie(DEVICE_COOKIE, throttle.newDevice(attempt.account), {
      path: COOKIE_PATH,
      httpOnly: true,
      sameSite: 'strict',
      secure: request.protocol === 'https',
      maxAge: DEVICE_LIFE_SECONDS,
    })
    return user
  }
}

/** Verifying takes long: what became of the account meanwhile counts. */
export async function requireUnchanged({ trx }: Unit, { id, passwordHash }: User): Promise<void> {
  const user = await createUserStore(trx).byId(id)
  if (!user || user.disabled || user.passwordHash !== passwordHash) throw new WrongCredentials()
}
