// SPDX-License-Identifier: MIT
// Certificates by openssl(1), and a caller that trusts one authority and looks at what it is shown.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'

const openssl = (dir: string, ...words: string[]) =>
  execFileSync('openssl', words, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** In `dir`: ca.pem, and what it signs. */
export function makeAuthority(dir: string) {
  openssl(
    dir,
    'req',
    '-x509',
    ...NEW_KEY,
    '-subj',
    '/CN=test ca',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  return {
    ca: readFileSync(join(dir, 'ca.pem'), 'utf8'),
    /** Overwrites the files of that name: a renewal. */
    issue(name: string, days = 60) {
      const [cert, key] = [`${name}.pem`, `${name}.key`]
      openssl(
        dir,
        ...['req', '-x509', '-CA', 'ca.pem', '-CAkey', 'ca.key', ...NEW_KEY],
        ...['-days', String(days), '-subj', `/CN=${name}`, '-keyout', key, '-out', cert],
        ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-addext', 'basicConstraints=critical,CA:FALSE'],
      )
      return { chainFile: join(dir, cert), keyFile: join(dir, key) }
    },
    encrypt(name: string) {
      const to = `${name}-encrypted.key`
      openssl(
        dir,
        ...['pkey', '-in', `${name}.key`, '-aes256', '-passout', 'pass:secret', '-out', to],
      )
      return join(dir, to)
    },
  }
}

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string }
type Ask = {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Throws when the certificate is not one of `ca`. */
export function ask(url: string, ca: string, { method, headers, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const type = json && { 'content-type': 'application/json' }
    const sent = request(
      url,
      { ca, agent: false, method: method ?? 'GET', headers: { ...type, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(json)
  })
}

/** An event stream that stays; `text` grows. */
export function listen(url: string, ca: string, cookie: string) {
  const stream = { text: '', isOver: false }
  const sent = request(url, { ca, agent: false, headers: { cookie } }, (response) => {
    response.setEncoding('utf8').on('data', (chunk) => {
      stream.text += chunk
    })
    response.on('close', () => {
      stream.isOver = true
    })
  })
  sent.on('error', () => {
    stream.isOver = true
  })
  sent.end()
  const close = () => {
    sent.destroy()
  }
  return { stream, close }
}

/** What a new connection is shown. */
export function handshake(
  url: string,
  options: { minVersion?: 'TLSv1.2'; maxVersion?: 'TLSv1.1' | 'TLSv1.2'; ciphers?: string } = {},
): Promise<{
  serial: string
  protocol: string | null
  cipher: string
  alpn: string | false | null
}> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url)
    const ALPNProtocols = ['h2', 'http/1.1']
    const socket: TLSSocket = connect(
      { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols, ...options },
      () => {
        const { serialNumber: serial } = socket.getPeerCertificate()
        resolve({
          serial,
          protocol: socket.getProtocol(),
          cipher: socket.getCipher().name,
          alpn: socket.alpnProtocol,
        })
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })
}
