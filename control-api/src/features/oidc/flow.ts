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

/** And its state: each flow has one of its own, so that two tabs sign in side by side. */
const FLOW_COOKIE = 'farmstead_oidc_'
const STATE = /^[\w-]{1,64}$/
const PURPOSE = 'oidc flow'
const WITHIN_MS = 10 * 60_000
/** In one browser: what it sends has an end, and who does not come back leaves one behind. */
const MOST_FLOWS = 4

type Deps = {
  box: SecretBox
  /** Below it flows begin and end. */
  path: string
  isSecure: boolean
  now: () => number
}

export function createFlows({ box, path, isSecure, now }: Deps) {
  const cookie = { path, httpOnly: true, sameSite: 'lax', secure: isSecure } as const
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
      const others = underWay(box, reply.request).slice(MOST_FLOWS - 1)
      for (const { state } of others) reply.clearCookie(FLOW_COOKIE + state, cookie)
      reply.setCookie(FLOW_COOKIE + flow.state, box.seal(JSON.stringify(flow), PURPOSE), {
        ...cookie,
        maxAge: WITHIN_MS / 1000,
      })
      return flow
    },
    /** That of the answer’s state, and no other. Throws SignInFailed when this browser has none, or an old one. */
    end(request: FastifyRequest, reply: FastifyReply, state: unknown): Flow {
      if (typeof state !== 'string' || !STATE.test(state)) throw new SignInFailed('oidc_flow_lost')
      const name = FLOW_COOKIE + state
      reply.clearCookie(name, cookie)
      const flow = opened(box, cookiesNamed(request, name))
      const ageMs = now() - flow.startedAtMs
      if (ageMs > WITHIN_MS) throw new SignInFailed('oidc_flow_lost')
      return flow
    },
  }
}

/** Newest first. What was not sealed here is not ours. */
function underWay(box: SecretBox, request: FastifyRequest): Flow[] {
  const names = Object.keys(request.server.parseCookie(request.headers.cookie ?? ''))
  const flows = names.flatMap((name) => {
    if (!name.startsWith(FLOW_COOKIE)) return []
    try {
      return [opened(box, cookiesNamed(request, name))]
    } catch {
      return []
    }
  })
  return flows.toSorted((a, b) => b.startedAtMs - a.startedAtMs)
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
