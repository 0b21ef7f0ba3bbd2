// SPDX-License-Identifier: MIT
// How a node joins over real TLS, by the steps of server-c/agent-protocol/README.md, and asks from then on. For
// tests and for programs that are none.
import 'reflect-metadata'
import { createHash, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto'
import { Agent, request as httpsRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'

export type Answer = {
  status: number
  json: Record<string, unknown>
  socket: TLSSocket
  /** The control plane's. */
  peer: X509Certificate | undefined
}
export type Certified = { key: string; cert: string; ca: string }

type Connection = {
  ca?: string
  key?: string
  cert?: string
  agent?: Agent
  method?: string
  signal?: AbortSignal | undefined
  /** The address it comes from: limits are per address. */
  localAddress?: string
}

/** Verified against `ca`, whatever the host is called; without `ca` not verified at all. */
export function ask(
  port: number,
  message: string,
  body: object | null,
  { method = body ? 'POST' : 'GET', ...connection }: Connection = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = httpsRequest(
    {
      host: '127.0.0.1',
      port,
      path: `/agent/v1/${message}`,
      method,
      headers: { 'content-type': 'application/json' },
      // Node keeps no connection alive whose host name it was told not to check: those are not verified.
      ...(connection.agent
        ? { agent: connection.agent, rejectUnauthorized: false }
        : {
            agent: new Agent({ maxCachedSessions: 0 }),
            rejectUnauthorized: connection.ca !== undefined,
            checkServerIdentity: () => undefined,
          }),
      ...(connection.ca && { ca: connection.ca }),
      ...(connection.key && { key: connection.key, cert: connection.cert }),
      ...(connection.signal && { signal: connection.signal }),
      ...(connection.localAddress && { localAddress: connection.localAddress }),
    },
    (response) => {
      const socket = response.socket as TLSSocket
      const peer = socket.getPeerX509Certificate()
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          json: text ? JSON.parse(text) : {},
          socket,
          peer,
        })
      })
    },
  )
  request.on('error', reject)
  request.end(body ? JSON.stringify(body) : undefined)
  return promise
}

export async function newKey() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { subtle } = webcrypto
  const [publicKey, privateKey] = await Promise.all([
    subtle.importKey(
      'spki',
      pair.publicKey.export({ format: 'der', type: 'spki' }),
      algorithm,
      true,
      ['verify'],
    ),
    subtle.importKey(
      'pkcs8',
      pair.privateKey.export({ format: 'der', type: 'pkcs8' }),
      algorithm,
      true,
      ['sign'],
    ),
  ])
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=whoever',
    keys: { publicKey, privateKey },
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  })
  const key = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  return { key, csr: request.toString('pem') }
}

export const spkiHash = (certificate: string) =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')

export const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? []

/** Steps 1 and 2 of joining: the one certificate that the token's fingerprint names. */
export async function fetchCa(
  port: number,
  fingerprint: string,
  connection: Pick<Connection, 'localAddress'> = {},
): Promise<string> {
  const { json } = await ask(port, 'ca', null, connection)
  const found = certificatesIn(String(json.caCertificates)).find(
    (one) => spkiHash(one) === fingerprint,
  )
  if (!found) throw new Error('no CA fits the fingerprint')
  return found
}

type Wish = {
  token: string
  body: object
  /** null: a new one. */
  wanted?: Awaited<ReturnType<typeof newKey>> | null
  localAddress?: string
}
export type Joined = { id: string; name: string; certified: Certified }

/** All steps of joining; `body` is what enrol carries beside token and CSR. */
export async function joinOverTls(
  port: number,
  { token, body, wanted = null, ...connection }: Wish,
): Promise<Joined> {
  const [secret = '', fingerprint = ''] = token.split('.')
  const ca = await fetchCa(port, fingerprint, connection)
  const { key, csr } = wanted ?? (await newKey())
  const request = { ...body, token: secret, csr }
  const { status, json } = await ask(port, 'enrol', request, { ca, ...connection })
  if (status !== 200) throw new Error(JSON.stringify(json))
  const certified = { key, cert: String(json.certificate), ca: String(json.caCertificates) }
  return { id: String(json.nodeId), name: String(json.name), certified }
}
