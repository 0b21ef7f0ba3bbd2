// SPDX-License-Identifier: MIT
// Begins a session for whoever proved to be a user: by password, at set-up, by another provider.
import type { FastifyRequest } from 'fastify'
import type { Unit, Write } from '../audit/write.ts'
import { insertSession } from '../people/session-store.ts'
import { regenerateSession } from './session.ts'

type Deps = { write: Write; now: () => number }
/** `alongside` is part of the same commit, before the session is there: when it throws, there is none. */
export type StartSession = (
  request: FastifyRequest,
  userId: string,
  alongside?: (unit: Unit) => Promise<void>,
) => Promise<void>

export const createStartSession =
  ({ write, now }: Deps): StartSession =>
  async (request, userId, alongside) => {
    await regenerateSession(request)
    const { session } = request
    session.userId = userId
    session.signedInAtMs = now()
    await write(async (unit) => {
      await alongside?.(unit)
      await insertSession(unit, {
        sessionId: session.sessionId,
        userId,
        address: request.ip,
        userAgent: request.headers['user-agent'],
        nowMs: now(),
      })
    })
  }
