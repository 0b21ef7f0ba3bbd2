// SPDX-License-Identifier: MIT
// Making the first administrator with the token that the service printed.
import type { Kysely } from 'kysely'
import { TooManyAttempts } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { hashPassword, TooManySignIns } from '../../people/passwords.ts'
import { anyUserExists } from '../../people/user-store.ts'
import { limits } from '../../plugins/limits.ts'
import type { StartSession } from '../../plugins/start-session.ts'
import { SessionSchema, SetupSchema, SetupStateSchema } from './schema.ts'
import { insertFirstAdmin, requireSetupToken, SetupDone, WrongSetupToken } from './setup.ts'
import { refuseWhile, Throttle } from './throttle.ts'
import type { ViewSession } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  startSession: StartSession
  view: ViewSession
}

const tags = ['session']

export const setupRoutes =
  ({ db, write, now, startSession, view }: Deps) =>
  async (app: App): Promise<void> => {
    const perAddress = new Throttle({
      free: 10,
      maxWaitMs: 60_000,
      forgetAfterMs: 3600_000,
      maxKeys: 10_000,
    })

    app.get(
      '/setup',
      {
        config: { permission: 'public', errors: [] },
        schema: {
          operationId: 'getSetup',
          tags,
          summary: 'Is there nobody yet who could sign in?',
          response: { 200: SetupStateSchema },
        },
      },
      async () => ({ required: !(await anyUserExists(db)) }),
    )

    app.post(
      '/setup',
      {
        config: {
          permission: 'public',
          rateLimit: limits.signIn,
          errors: [SetupDone, WrongSetupToken, TooManyAttempts, TooManySignIns],
        },
        schema: {
          operationId: 'setUp',
          tags,
          summary: 'Make the first administrator; the answer sets the session cookie',
          description: 'With the token that the service prints while there is no user.',
          body: SetupSchema,
          response: { 201: SessionSchema },
        },
      },
      async (request, reply) => {
        const { token, username, password } = request.body
        refuseWhile(perAddress.attempt(request.ip, now()))
        await requireSetupToken(db, token)
        const passwordHash = await hashPassword(password)
        const user = await write((unit) =>
          insertFirstAdmin(unit, { token, username, passwordHash, nowMs: now() }),
        )
        perAddress.succeeded(request.ip)
        await startSession(request, user.id)
        reply.code(201)
        return view(user, now())
      },
    )
  }
