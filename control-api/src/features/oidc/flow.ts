// SPDX-License-Identifier: MIT
// A sign-in under way, between leaving for the provider and coming back. It lives in the browser that
// began it, sealed: the session's cookie is SameSite=Strict and does not come along on the way back, and
// here nothing is kept for who never returns.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import type { SecretBox } from '../../base/secret-box.ts'
import { cookiesNamed } from '../../plugins/cookies.ts'
import { SignInFailed } from './errors.ts'

export type Flow = {
  state: string
  nonce: string
  codeVerifier: string
  /** Where to go afterwards. */
  next: string
  startedAtMs: number
  /** null: signing in. Else: who wants the identity, and the session that must still be there then. */
  linkTo: { userId: string; sessionId: string } | null
}

export const FLOW_COOKIE = 'farmstead_oidc'
const PURPOSE = 'oidc flow'
const WITHIN_MS = 10 * 60_000

type Deps = { box: SecretBox; callbackPath: string; isSecure: boolean; now: () => number }

export function createFlows({ box, callbackPath, isSecure, now }: Deps) {
  const cookie = { path: callbackPath, httpOnly: true, sameSite: 'lax', secure: isSecure } as const
  return {
    begin(reply: FastifyReply, { next, linkTo }: Pick<Flow, 'next' | 'linkTo'>): Flow {
      const flow: Flow = {
        state: randomState(),
        nonce: randomNonce(),
        codeVerifier: randomPKCECodeVerifier(),
        startedAtMs: now(),
        next,
        linkTo,
      }
      reply.setCookie(FLOW_COOKIE, box.seal(JSON.stringify(flow), PURPOSE), {
        ...cookie,
        maxAge: WITHIN_MS / 1000,
      })
      return flow
    },
    /** Throws SignInFailed when this browser has none, or an old one. */
    end(request: FastifyRequest, reply: FastifyReply): Flow {
      reply.clearCookie(FLOW_COOKIE, cookie)
      const flow = opened(box, cookiesNamed(request, FLOW_COOKIE))
      const ageMs = now() - flow.startedAtMs
      if (ageMs > WITHIN_MS) throw new SignInFailed('oidc_flow_lost')
      return flow
    },
  }
}

/** The first that was sealed here. */
function opened(box: SecretBox, sealed: readonly string[]): Flow {
  let cause: unknown
  for (const one of sealed) {
    try {
      return JSON.parse(box.open(one, PURPOSE))
    } catch (error) {
      cause = error
    }
  }
  throw new SignInFailed('oidc_flow_lost', { cause })
}
