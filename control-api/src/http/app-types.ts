// SPDX-License-Identifier: MIT
// The typed Fastify instance that routes get, and what our plugins add to requests and routes.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Access, Permission } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'
import type { Reach, Scope } from '../access/scope.ts'
import type { Refusal } from '../api-shapes/errors.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Who calls: a person with a session, or a program with one of that person's tokens. */
export type SignedInUser = {
  id: string
  username: string
  roles: Role[]
  permissions: Permission[]
  passwordChangeRequired: boolean
  /** The nodes the roles count for; null: the whole farm. */
  scope: Scope
  /** null: a session. */
  token: { id: string; name: string; expiresAtMs: number } | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may call it, or the service does not start. */
    permission?: Access
    /** On `session:own` only, which a token does not reach otherwise. */
    forTokensToo?: true
    /** What the route is about; left out: see reachOf in access/scope.ts. */
    scope?: Reach
    /** What it refuses with, beside what every route of its kind can; see openapi/refusals.ts. */
    errors?: readonly Refusal[]
    /** A POST that makes and starts nothing takes no Idempotency-Key. */
    idempotency?: false
    /** Takes a core's time, or does with `dryRun=1`: some at once, of each caller few. See plugins/turns.ts. */
    heavy?: true | 'dryRun'
    /** Its body goes on as it comes and is no text: so much of it at most. */
    streamedBytes?: number
    /** Answered even when everything else is refused. */
    underPressure?: true
    /** Its answer holds a secret that is shown once: not kept for a repetition either. */
    secretAnswer?: true
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    user: SignedInUser | null
  }
  interface Session {
    userId?: string
    /** Wall clock at sign-in: a session ends a week later, however busy. */
    signedInAtMs?: number
  }
}
