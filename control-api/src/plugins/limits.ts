// SPDX-License-Identifier: MIT
// How much a caller may ask of the service: requests per minute, and bytes per body. Far above what
// people and their scripts do; a loop gone wild is slowed before it hurts the others.
import rateLimit from '@fastify/rate-limit'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { TooManyRequests } from '../api-shapes/errors.ts'
import { isSchema } from '../json/json-schema.ts'

const MINUTE_MS = 60_000

const perMinute = (max: number) => ({ max, timeWindow: MINUTE_MS })
/** For the `rateLimit` of a route's config. A route with a limit of its own counts on its own. */
export const limits = {
  /** Of routes without one of their own, together. */
  requests: perMinute(3000),
  /** Each takes a hash that is slow on purpose. Wrong passwords are slowed down besides. */
  signIn: perMinute(120),
  /** Starts a process, or reads much. */
  expensive: perMinute(600),
  /** Reads a table from end to end. */
  exports: perMinute(30),
  /** Each takes little, and there may be a hundred thousand of them: contents of files. */
  pieces: perMinute(120_000),
}

/** Bodies without a config text: names, labels, an override of 64 KiB with its white space. */
export const BODY_BYTES = 256 * 1024
/** Of who is nobody yet: names, passwords, codes. No stranger fills the memory with more. */
export const PUBLIC_BODY_BYTES = 16 * 1024
const LARGE_TEXT_LENGTH = 64 * 1024
/** A character of a text may be two bytes, or escaped in six; few are. */
const BYTES_PER_CHARACTER = 4

/** Must be registered after what finds out who calls, and before the routes. */
export async function limitRequests(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= bodyLimitOf(route)
  })
  await app.register(rateLimit, {
    ...limits.requests,
    enableDraftSpec: true,
    keyGenerator: callerOf,
    errorResponseBuilder: (_request, { ttl }) => new TooManyRequests(Math.ceil(ttl / 1000)),
  })
}

/** People behind one address do not share a limit, nor do the tokens of one person. */
function callerOf({ user, session, ip }: FastifyRequest): string {
  if (user?.token) return user.token.id
  return user ? session.sessionId : ip
}

type Limited = { schema?: FastifySchema | undefined; config?: FastifyContextConfig | undefined }

export function bodyLimitOf({ schema, config }: Limited): number {
  if (config?.permission === 'public') return PUBLIC_BODY_BYTES
  if (config?.streamedBytes !== undefined) return config.streamedBytes
  return BODY_BYTES + BYTES_PER_CHARACTER * largeTextsIn(schema?.body)
}

/** How many characters the large texts of a body may have together. */
function largeTextsIn(schema: unknown): number {
  if (!isSchema(schema)) return 0
  const { maxLength } = schema
  const own = typeof maxLength === 'number' && maxLength > LARGE_TEXT_LENGTH ? maxLength : 0
  return (
    own +
    Object.values(schema)
      .flat()
      .reduce((sum: number, part) => sum + largeTextsIn(part), 0)
  )
}
