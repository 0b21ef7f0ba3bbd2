// SPDX-License-Identifier: MIT
// The listener's TLS: a client certificate is asked for and not required, because a node without one
// enrols here, and one whose certificate has ended must be told so.
import { constants } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Authority } from '../ca/authority.ts'
import { REQUEST_WITHIN_MS } from '../http/create.ts'
import { closeEverySocketOf } from '../http/open-sockets.ts'

const HANDSHAKE_WITHIN_MS = 10_000
/** As Fastify has it on plain HTTP: longer than a node is silent, so that reports share a connection. */
const KEPT_IDLE_MS = 72_000

export const tlsServerOf =
  (authority: Authority, handshakeWithinMs = HANDSHAKE_WITHIN_MS) =>
  (handler: RequestListener): Server => {
    const server = createServer(
      {
        ...contextOf(authority),
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: handshakeWithinMs,
        ALPNProtocols: ['http/1.1'],
        requestTimeout: REQUEST_WITHIN_MS,
        keepAliveTimeout: KEPT_IDLE_MS,
      },
      handler,
    )
    // Connections that stand keep what they began with.
    authority.onChange(() => server.setSecureContext(contextOf(authority)))
    beginWithFirstBytes(server as unknown as Server, handshakeWithinMs)
    closeEverySocketOf(server as unknown as Server)
    // A TLS server adds no method to those of an HTTP one that Fastify or we would use.
    return server as unknown as Server
  }

/**
 * TLS is given what a connection says first, and takes it into a small buffer, which it keeps. What it reads first itself goes
 * into one of 64 KiB, as long as the connection lasts.
 */
function beginWithFirstBytes(server: Server, withinMs: number): void {
  const begin = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const tooLate = setTimeout(() => socket.destroy(), withinMs)
    const over = () => clearTimeout(tooLate)
    socket.once('close', over)
    socket.on('error', closeFollows)
    socket.once('readable', () => {
      over()
      // Thousands that stay would keep it.
      socket.off('close', over)
      // It ended, and said nothing.
      if (socket.readableLength === 0) socket.destroy()
      else for (const listener of begin) listener.call(server, socket)
    })
  })
}

/** Not made for each: it would keep all that is around it. */
const closeFollows = () => {}

const contextOf = (authority: Authority) => ({
  ...authority.serverContext(),
  minVersion: 'TLSv1.3' as const,
  // No resumption: each connection proves anew who it is.
  secureOptions: constants.SSL_OP_NO_TICKET,
})
