// SPDX-License-Identifier: MIT
// Browser sessions: an unguessable id in a cookie, everything else in control.db.
import { join } from 'node:path'
import cookie, { Signer } from '@fastify/cookie'
import session from '@fastify/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import { keptKey } from '../base/key-file.ts'
import type { Database } from '../db/database.ts'
import { createSessionStore, IDLE_MS } from '../people/session-store.ts'
import { cookiesNamed } from './cookies.ts'

export const SESSION_COOKIE = 'farmstead_session'
export const COOKIE_PATH = '/api'

type Options = {
  db: Kysely<Database>
  dataDir: string
  now: () => number
  /** Browsers come by https, whatever a proxy that ends TLS lets us see of it. */
  publicIsHttps: boolean
}

export const sessionPlugin = fp<Options>(
  async (app, { db, dataDir, now, publicIsHttps }) => {
    await app.register(cookie)
    const secret = sessionKey(dataDir)
    const signer = new Signer(secret)
    app.addHook('onRequest', async (request) => {
      const ours = cookiesNamed(request, SESSION_COOKIE).find((one) => signer.unsign(one).valid)
      if (ours !== undefined) request.cookies[SESSION_COOKIE] = ours
    })
    await app.register(session, {
      secret,
      store: createSessionStore(db, now),
      cookieName: SESSION_COOKIE,
      saveUninitialized: false,
      rolling: true,
      // 'auto' would weaken SameSite to Lax on plain HTTP; sign-in sets `secure` itself.
      cookie: {
        path: COOKIE_PATH,
        httpOnly: true,
        sameSite: 'strict',
        secure: false,
        maxAge: IDLE_MS,
      },
    })
    // Not by the session's own option: it sends no cookie at all on a connection that looks like plain HTTP.
    if (publicIsHttps) app.addHook('onSend', async (_request, reply) => secureCookies(reply))
  },
  { name: 'session' },
)

/** Of all cookies, others' as well: none of them goes over the wire unencrypted. */
function secureCookies(reply: FastifyReply): void {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  if (cookies.length === 0) return
  // Setting this header adds to it.
  reply.removeHeader('set-cookie')
  reply.header(
    'set-cookie',
    cookies.map((cookie) => (/;\s*secure\b/i.test(cookie) ? cookie : `${cookie}; Secure`)),
  )
}

/** A fresh id at each change of who is signed in, so that an id planted beforehand is worth nothing. */
export async function regenerateSession(request: FastifyRequest): Promise<void> {
  await request.session.regenerate()
  request.session.options({ secure: request.protocol === 'https' })
}

/** Signs cookies. Kept beside the database, so that a copy of the database alone is of no use. */
export const sessionKey = (dataDir: string): string => keptKey(join(dataDir, 'session.key'), 48)
