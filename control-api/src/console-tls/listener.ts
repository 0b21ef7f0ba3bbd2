// SPDX-License-Identifier: MIT
// The console's listener with TLS. Who begins in plain HTTP on its port is told so, and led to HTTPS when nothing secret
// can be in what they asked. HTTP/1.1 only: what is asked of a console is little, and event streams work over it as they always did.
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { REQUEST_WITHIN_MS } from '../http/create.ts'
import { closeEverySocketOf } from '../http/open-sockets.ts'
import type { ConsoleCertificate } from './certificate.ts'

const HANDSHAKE_WITHIN_MS = 10_000
/** As Fastify has it on plain HTTP. */
const KEPT_IDLE_MS = 72_000
/** What a TLS record of a handshake begins with; no method of HTTP does. */
const HANDSHAKE = 0x16

/** Forward secrecy and authenticated encryption, which browsers have had for ten years. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

const contextOf = (certificate: ConsoleCertificate) => {
  const { chain: cert, key } = certificate.current()
  return { cert, key, minVersion: 'TLSv1.2' as const, ciphers: CIPHERS }
}

export const httpsServerOf =
  (certificate: ConsoleCertificate) =>
  (handler: RequestListener): Server => {
    const server = createServer(
      {
        ...contextOf(certificate),
        handshakeTimeout: HANDSHAKE_WITHIN_MS,
        ALPNProtocols: ['http/1.1'],
        requestTimeout: REQUEST_WITHIN_MS,
        keepAliveTimeout: KEPT_IDLE_MS,
      },
      handler,
    )
    // Connections that stand keep what they began with.
    certificate.onChange(() => server.setSecureContext(contextOf(certificate)))
    tellPlainHttp(server as unknown as Server)
    // A TLS server adds no method to those of an HTTP one that Fastify or we would use.
    return server as unknown as Server
  }

/** Looks at the first byte of each connection before TLS does. */
function tellPlainHttp(server: Server): void {
  const speakTls = server.listeners('connection')
  const plain = createHttpServer(leadToHttps)
  server.removeAllListeners('connection')
  closeEverySocketOf(server)
  server.on('connection', (socket: Socket) => {
    const drop = () => socket.destroy()
    // Whoever speaks plain HTTP is through with it by then, too: a server that does not listen itself keeps no times.
    const deadline = setTimeout(drop, HANDSHAKE_WITHIN_MS)
    socket.on('close', () => clearTimeout(deadline))
    socket.on('error', drop)
    socket.once('readable', () => {
      const begun: Buffer | null = socket.read()
      if (begun === null) return drop()
      socket.unshift(begun)
      if (begun[0] !== HANDSHAKE) return plain.emit('connection', socket)
      clearTimeout(deadline)
      for (const listener of speakTls) Reflect.apply(listener, server, [socket])
    })
  })
}

const HOST = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/

/** A cookie, a token or a body has come readably already: leading on would hide that. */
const leadToHttps: RequestListener = ({ method = '', url = '/', headers }, response) => {
  const host = HOST.test(headers.host ?? '') ? headers.host : null
  const isLook = method === 'GET' || method === 'HEAD'
  const isSecret = headers.authorization !== undefined || headers.cookie !== undefined
  const to = host && url.startsWith('/') ? `https://${host}${url}` : null
  response.setHeader('connection', 'close')
  if (to && isLook && !isSecret) {
    // Not for good: browsers would keep to it when HTTPS is turned off again.
    response.writeHead(307, { location: to }).end()
    return
  }
  const problem = {
    type: 'about:blank',
    title: STATUS_CODES[400],
    status: 400,
    code: 'https_required',
    detail: `This port speaks HTTPS. ${to ? `Ask ${to.split('?')[0]}` : 'Ask the same with https://'}; what came now came unencrypted and was not looked at.`,
  }
  response.writeHead(400, { 'content-type': 'application/problem+json' })
  response.end(method === 'HEAD' ? undefined : JSON.stringify(problem))
}
