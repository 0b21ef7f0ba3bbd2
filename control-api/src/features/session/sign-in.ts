// SPDX-License-Identifier: MIT
// Is it really them? Password first; whether there is a second factor is told to nobody without it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountDisabled, WrongCredentials } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { knownUser, verifyNobody, verifyPassword } from '../../people/passwords.ts'
import { SecondFactorRequired, WrongCode } from '../../people/proof.ts'
import type { SecondFactor } from '../../people/second-factor.ts'
import { createUserStore, type User, type UserStore } from '../../people/user-store.ts'
import { cookiesNamed } from '../../plugins/cookies.ts'
import { COOKIE_PATH } from '../../plugins/session.ts'
import type { StartSession } from '../../plugins/start-session.ts'
import type { TellFailure } from './failed-sign-ins.ts'
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts'
import { refuseWhile } from './throttle.ts'

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

/** `username`: of names nobody has, what was typed. */
export const attemptOf = (
  request: FastifyRequest,
  user: User | null,
  username = user?.username ?? '',
): Attempt => ({
  account: {
    key: user?.id ?? username.toLowerCase(),
    devices: user && { userId: user.id, recoveries: user.recoveries },
  },
  address: request.ip,
  devices: cookiesNamed(request, DEVICE_COOKIE),
})

/** Throws WrongCredentials, or what holds up who guesses. */
export async function provePassword(
  request: FastifyRequest,
  user: User,
  { password, throttle }: { password: string; throttle: SignInThrottle },
): Promise<Attempt> {
  const attempt = attemptOf(request, user)
  refuseWhile(throttle.attempt(attempt))
  if (!(await verifyPassword(password, user.passwordHash, knownUser(user.id))))
    throw new WrongCredentials()
  throttle.succeeded(attempt)
  return attempt
}

/** The browser is known to this account from now on. */
export function setDevice(reply: FastifyReply, throttle: SignInThrottle, user: User): void {
  const { id: userId, recoveries } = user
  reply.setCookie(DEVICE_COOKIE, throttle.newDevice({ userId, recoveries }), {
    path: COOKIE_PATH,
    httpOnly: true,
    sameSite: 'strict',
    secure: reply.request.protocol === 'https',
    maxAge: DEVICE_LIFE_SECONDS,
  })
}

/** By whom sign-ins are counted: a browser that is known by itself, strangers by their address. */
export const createSignInKey =
  ({ users, throttle }: Pick<Deps, 'users' | 'throttle'>) =>
  async (request: FastifyRequest): Promise<string> => {
    const { username } = (request.body ?? {}) as { username?: unknown }
    if (typeof username !== 'string') return request.ip
    const user = await users.byUsername(username)
    return throttle.knownDevice(attemptOf(request, user, username)) ?? request.ip
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
  const prove = async (
    user: User | null,
    { password, code }: Given,
    attempt: Attempt,
  ): Promise<User> => {
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
    const named = await users.byUsername(given.username)
    const attempt = attemptOf(request, named, given.username)
    refuseWhile(throttle.attempt(attempt))
    const user = await prove(named, given, attempt)
    throttle.succeeded(attempt)
    await startSession(request, user.id, async (unit) => {
      await requireUnchanged(unit, user)
      const actor = user.username
      await unit.emit({ kind: 'session', id: user.id, action: 'signed-in', actor })
    })
    setDevice(reply, throttle, user)
    return user
  }
}

/** Verifying takes long: what became of the account meanwhile counts. */
export async function requireUnchanged({ trx }: Unit, before: User): Promise<void> {
  const user = await createUserStore(trx).byId(before.id)
  const isSame = user?.passwordHash === before.passwordHash && user.recoveries === before.recoveries
  if (!isSame || user.disabled) throw new WrongCredentials()
}
