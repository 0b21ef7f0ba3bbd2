// SPDX-License-Identifier: MIT
// Programs send a token in the Authorization header (RFC 6750). Whoever sends one has no session: a
// cookie that comes along is not looked at, nor is one set.
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** null: no token was sent. Other schemes are for proxies in front of us. */
export function bearerOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const [scheme = '', secret = ''] = (headers.authorization ?? '').split(' ', 2)
  return scheme.toLowerCase() === 'bearer' ? secret : null
}

/** Must be called before the sessions' plugin is registered. */
export function keepSessionsFromBearers(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (bearerOf(request) !== null) delete request.headers.cookie
  })
}
