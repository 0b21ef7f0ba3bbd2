// SPDX-License-Identifier: MIT
// What a route can refuse with: what it names itself, and what follows from its kind. openapi.json says
// so for each operation, and the tests hold every answer against it.
import type { FastifySchema } from 'fastify'
import type { Access } from '../access/permissions.ts'
import { type Reach, reachOf, WholeFarmRequired } from '../access/scope.ts'
import { InvalidCursor } from '../api-shapes/cursor.ts'
import {
  BodyTooSlow,
  CrossOrigin,
  Internal,
  InvalidRequest,
  NeedsSession,
  NotAllowed,
  NotJson,
  NotSignedIn,
  NotUtf8,
  NulCharacter,
  Overloaded,
  PasswordChangeRequired,
  PreconditionFailed,
  PreconditionRequired,
  type Refusal,
  StorageBusy,
  StorageFull,
  TokenNotAllowed,
  TooLarge,
  TooManyAttempts,
  TooManyRequests,
  TooMuchAtOnce,
  WrongToken,
} from '../api-shapes/errors.ts'
import { AlreadyDone, KeyReused, OutcomeUnknown, StillRunning } from '../idempotency/errors.ts'
import { hasProperty } from '../json/json-schema.ts'

export type DescribedRoute = {
  method: string | string[]
  url?: string
  schema?: FastifySchema
  config?: {
    permission?: Access
    forTokensToo?: true
    errors?: readonly Refusal[]
    rateLimit?: unknown
    scope?: Reach
    heavy?: true | 'dryRun'
    underPressure?: true
  }
}

const SAFE = new Set(['GET', 'HEAD'])

export function refusalsOf(route: DescribedRoute): Refusal[] {
  const { schema = {}, config = {}, url = '' } = route
  const { permission, forTokensToo, errors = [], rateLimit, heavy, underPressure } = config
  const isSafe = [route.method].flat().every((method) => SAFE.has(method))
  const found: Refusal[] = [...errors, Internal]
  if (permission !== 'public') found.push(NotSignedIn, WrongToken, TooManyAttempts)
  if (permission === 'session:own' && !forTokensToo) found.push(NeedsSession)
  if (permission !== 'public' && permission !== 'session:own') {
    found.push(NotAllowed, TokenNotAllowed, PasswordChangeRequired)
  }
  if (permission !== undefined && reachOf(url, permission, config.scope) === 'farm') {
    found.push(WholeFarmRequired)
  }
  if (!isSafe) found.push(CrossOrigin, StorageBusy, StorageFull)
  if (schema.params || schema.querystring || schema.headers || !isSafe) found.push(InvalidRequest)
  if (!isSafe) found.push(NotJson, NotUtf8, NulCharacter, TooLarge)
  if (hasProperty(schema.querystring, 'cursor')) found.push(InvalidCursor)
  if (hasProperty(schema.headers, 'if-match')) found.push(PreconditionRequired, PreconditionFailed)
  if (hasProperty(schema.headers, 'idempotency-key')) {
    found.push(KeyReused, StillRunning, AlreadyDone, OutcomeUnknown)
  }
  if (heavy || schema.body) found.push(TooMuchAtOnce)
  if (schema.body && permission !== 'public') found.push(BodyTooSlow)
  if (!underPressure) found.push(Overloaded)
  if (rateLimit !== false) found.push(TooManyRequests)
  return [...new Set(found)].sort((a, b) => a.statusCode - b.statusCode)
}
