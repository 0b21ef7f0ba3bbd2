// SPDX-License-Identifier: MIT
// Who holds a session proves anew that it is theirs.
import type { FastifyRequest } from 'fastify'
import { NotSignedIn } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import { NO_PASSWORD } from '../../people/passwords.ts'
import {
  FreshSignInRequired,
  PasswordRequired,
  type Proof,
  type Prove,
  SecondFactorRequired,
  WrongCode,
} from '../../people/proof.ts'
import type { SecondFactor } from '../../people/second-factor.ts'
import type { User, UserStore } from '../../people/user-store.ts'
import { provePassword, requireUnchanged } from './sign-in.ts'
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts'
import { refuseWhile } from './throttle.ts'

type Deps = {
  users: UserStore
  write: Write
  now: () => number
  throttle: SignInThrottle
  secondFactor: SecondFactor
}

/** Who has no password here has just come from the provider. */
const FRESH_MS = 10 * 60_000
/** A code is good once: who signed in with one just now is not asked for the next. */
const CODE_HOLDS_MS = 2 * 60_000

export function createProve({ users, write, now, throttle, secondFactor }: Deps): Prove {
  const ageOf = ({ session }: FastifyRequest) => now() - (session.signedInAtMs ?? 0)
  const isYounger = (request: FastifyRequest, ms: number) => {
    const age = ageOf(request)
    return age >= 0 && age <= ms
  }

  const proveCode = async (user: User, code: string | undefined, attempt: Attempt) => {
    if (code === undefined) throw new SecondFactorRequired()
    refuseWhile(throttle.attemptCode(attempt))
    const used = await write((unit) =>
      secondFactor.use(unit, { userId: user.id, code, nowMs: now() }),
    )
    if (!used) throw new WrongCode()
    throttle.codeSucceeded(attempt)
  }

  return async (request, { password, code }: Proof) => {
    const user = request.user && (await users.byId(request.user.id))
    if (!user) throw new NotSignedIn()
    if (user.passwordHash === NO_PASSWORD) {
      if (!isYounger(request, FRESH_MS)) throw new FreshSignInRequired(FRESH_MS / 60_000)
      return (unit) => requireUnchanged(unit, user)
    }
    if (password === undefined) throw new PasswordRequired()
    const attempt = await provePassword(request, user, { password, throttle })
    if (user.hasSecondFactor && !isYounger(request, CODE_HOLDS_MS)) {
      await proveCode(user, code, attempt)
    }
    return (unit) => requireUnchanged(unit, user)
  }
}
