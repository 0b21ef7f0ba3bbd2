// SPDX-License-Identifier: MIT
// The listener's TLS: a client certificate is asked for and not required, because a node without one
// enrols here, and one whose certificate has ended must be told so.
import { constants } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'
import type { Authority } from '../ca/authority.ts'
import { REQUEST_WITHIN_MS } from '../http/create.ts'
import { closeEverySocketOf } from '../http/open-sockets.ts'

const HANDSHAKE_WITHIN_MS = 10_000
/** As Fastify has it on plain HTTP: longer than a node is silent, so that reports share a connection. */
const KEPT_IDLE_MS = 72_000

export const tlsServerOf =
  (authority: Authority) =>
  (handler: RequestListener): Server => {
    const server = createServer(
      {
        ...contextOf(authority),
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: HANDSHAKE_WITHIN_MS,
        ALPNProtocols: ['http/1.1'],
        requestTimeout: REQUEST_WITHIN_MS,
        keepAliveTimeout: KEPT_IDLE_MS,
      },
      handler,
    )
    // Connections that stand keep what they began with.
    authority.onChange(() => server.setSecureContext(contextOf(authority)))
    closeEverySocketOf(server as unknown as Server)
    // A TLS server adds no method to those of an HTTP one that Fastify or we would use.
    return server as unknown as Server
  }

const contextOf = (authority: Authority) => ({
  ...authority.serverContext(),
  minVersion: 'TLSv1.3' as const,
  // No resumption: each connection proves anew who it is.
  secureOptions: constants.SSL_OP_NO_TICKET,
})
