// SPDX-License-Identifier: MIT
// One's own second factor: begun, confirmed with a first code, taken away.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { defineError, TooManyAttempts, WrongCredentials } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { App } from '../../http/app-types.ts'
import { TooManySignIns } from '../../people/passwords.ts'
import { WrongCode } from '../../people/proof.ts'
import type { SecondFactor } from '../../people/second-factor.ts'
import { removeSecondFactor, type User } from '../../people/user-store.ts'
import {
  BegunSecondFactorSchema,
  ConfirmSecondFactorSchema,
  PasswordOnlySchema,
  RecoveryCodesSchema,
  RemoveSecondFactorSchema,
} from './schema.ts'
import { attemptOf, provePassword, requireUnchanged } from './sign-in.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { refuseWhile } from './throttle.ts'

type Deps = {
  write: Write
  now: () => number
  throttle: SignInThrottle
  secondFactor: SecondFactor
  current: (request: FastifyRequest) => Promise<User>
}

const tags = ['session']
const SecondFactorExists = defineError(
  409,
  'second_factor_exists',
  'There is a second factor',
  () => 'Take it away first, with DELETE /api/v1/session/second-factor.',
)
const PASSWORD_REFUSALS = [WrongCredentials, TooManyAttempts, TooManySignIns]

export const secondFactorRoutes =
  ({ write, now, throttle, secondFactor, current }: Deps) =>
  async (app: App): Promise<void> => {
    /** A borrowed session must not be enough to change how its owner signs in. */
    const provenUser = async (request: FastifyRequest, password: string): Promise<User> => {
      const user = await current(request)
      await provePassword(request, user, { password, throttle })
      return user
    }

    app.post(
      '/session/second-factor',
      {
        config: {
          permission: 'session:own',
          secretAnswer: true,
          errors: [...PASSWORD_REFUSALS, SecondFactorExists],
        },
        schema: {
          operationId: 'beginSecondFactor',
          tags,
          summary: 'Begin a second factor: a secret for an authenticator, shown this once',
          description: 'It counts from the first code on that is sent with PUT.',
          body: PasswordOnlySchema,
          response: { 200: BegunSecondFactorSchema },
        },
      },
      async (request) => {
        const user = await provenUser(request, request.body.password)
        if (user.hasSecondFactor) throw new SecondFactorExists()
        return await write(async (unit) => {
          await requireUnchanged(unit, user)
          return await secondFactor.begin(unit, user)
        })
      },
    )

    app.put(
      '/session/second-factor',
      {
        config: {
          permission: 'session:own',
          errors: [SecondFactorExists, WrongCode, TooManyAttempts],
        },
        schema: {
          operationId: 'confirmSecondFactor',
          tags,
          summary: 'Confirm it with a code; the answer shows recovery codes, this once',
          body: ConfirmSecondFactorSchema,
          response: { 200: RecoveryCodesSchema },
        },
      },
      async (request) => {
        const user = await current(request)
        if (user.hasSecondFactor) throw new SecondFactorExists()
        const attempt = attemptOf(request, user)
        refuseWhile(throttle.attemptCode(attempt))
        const { code } = request.body
        const recoveryCodes = await write(async (unit) => {
          const codes = await secondFactor.confirm(unit, { userId: user.id, code, nowMs: now() })
          if (codes) await tell(unit, user, 'second-factor-added')
          return codes
        })
        if (!recoveryCodes) throw new WrongCode()
        throttle.codeSucceeded(attempt)
        return { recoveryCodes }
      },
    )

    app.delete(
      '/session/second-factor',
      {
        config: { permission: 'session:own', errors: [...PASSWORD_REFUSALS, WrongCode] },
        schema: {
          operationId: 'removeSecondFactor',
          tags,
          summary: 'Take the second factor away, with password and a code',
          body: RemoveSecondFactorSchema,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { password, code } = request.body
        const user = await provenUser(request, password)
        const attempt = attemptOf(request, user)
        refuseWhile(throttle.attemptCode(attempt))
        const removed = await write(async (unit) => {
          if (!(await secondFactor.use(unit, { userId: user.id, code, nowMs: now() }))) return false
          await removeSecondFactor(unit, user.id)
          await tell(unit, user, 'second-factor-removed')
          return true
        })
        if (!removed) throw new WrongCode()
        throttle.codeSucceeded(attempt)
        return reply.code(204).send(null)
      },
    )
  }

const tell = (unit: Parameters<Parameters<Write>[0]>[0], user: User, action: string) =>
  unit.emit({ kind: 'session', id: user.id, action, actor: user.username })
