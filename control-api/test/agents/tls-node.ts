// SPDX-License-Identifier: MIT
// A node that joins and speaks over real TLS, by the steps of server-c/agent-protocol/README.md.
import 'reflect-metadata'
import {
  createHash,
  generateKeyPairSync,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto'
import { Agent, request as httpsRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { onTestFinished } from 'vitest'
import type { Overrides } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { type Built, build } from '../helper.ts'
import { example, makeToken } from './node-client.ts'

export type TlsBuilt = Built & { port: number }
export type Answer = {
  status: number
  json: Record<string, unknown>
  socket: TLSSocket
  /** The control plane's. */
  peer: X509Certificate | undefined
}
export type Certified = { key: string; cert: string; ca: string }

/** The service with its agent listener on a port of its own, over TLS. */
export async function buildTls(
  options: Overrides & { config?: Partial<Config> } = {},
): Promise<TlsBuilt> {
  const { config, ...overrides } = options
  const service = await build({
    ...overrides,
    config: { agentTransport: 'mtls', agentUrl: 'https://control.example:9701', ...config },
  })
  await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const address = service.agents.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { ...service, port: address.port }
}

type Connection = { ca?: string; key?: string; cert?: string; agent?: Agent; method?: string }

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
export async function fetchCa(port: number, fingerprint: string): Promise<string> {
  const { json } = await ask(port, 'ca', null)
  const found = certificatesIn(String(json.caCertificates)).find(
    (one) => spkiHash(one) === fingerprint,
  )
  if (!found) throw new Error('no CA fits the fingerprint')
  return found
}

export class TlsNode {
  readonly id: string
  readonly name: string
  certified: Certified
  incarnation = randomBytes(16).toString('hex')
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })
  #keepAlive = false

  constructor(port: number, { id, name }: { id: string; name: string }, certified: Certified) {
    this.#port = port
    this.id = id
    this.name = name
    this.certified = certified
    onTestFinished(() => this.#agent.destroy())
  }

  static async join(
    service: TlsBuilt,
    token: string,
    wanted: Awaited<ReturnType<typeof newKey>> | null = null,
  ) {
    const [secret = '', fingerprint = ''] = token.split('.')
    const ca = await fetchCa(service.port, fingerprint)
    const { key, csr } = wanted ?? (await newKey())
    const body = { ...example('enrol.request'), token: secret, csr }
    const { status, json } = await ask(service.port, 'enrol', body, { ca })
    if (status !== 200) throw new Error(JSON.stringify(json))
    const answer = json as {
      nodeId: string
      name: string
      certificate: string
      caCertificates: string
    }
    return new TlsNode(
      service.port,
      { id: answer.nodeId, name: answer.name },
      { key, cert: answer.certificate, ca: answer.caCertificates },
    )
  }

  /** Another process with a copy of the node's state. */
  clone(): TlsNode {
    return new TlsNode(this.#port, this, { ...this.certified })
  }

  /** From now on over one connection. */
  keepAlive(): this {
    this.#keepAlive = true
    return this
  }

  say(message: string, body: object, certified = this.certified): Promise<Answer> {
    const agent = this.#keepAlive ? { agent: this.#agent } : {}
    return ask(this.#port, message, body, { ...certified, ...agent })
  }

  async hello(changes: object = {}): Promise<Answer> {
    const answer = await this.say('hello', {
      ...example('hello.request.first'),
      nodeId: this.id,
      incarnation: this.incarnation,
      ...changes,
    })
    const { caCertificates } = answer.json
    if (typeof caCertificates === 'string') this.certified.ca = caCertificates
    return answer
  }

  desired(waitMs = 0): Promise<Answer> {
    const { incarnation } = this
    return this.say('desired', { ...example('desired.request'), incarnation, have: null, waitMs })
  }

  report(changes: object = {}): Promise<Answer> {
    const { incarnation } = this
    return this.say('report', { ...example('report.request.host'), incarnation, ...changes })
  }

  /** The answer's certificate with its new key, not yet used. */
  async renewed(): Promise<Certified & { answer: Answer }> {
    const { key, csr } = await newKey()
    const answer = await this.say('renew', { incarnation: this.incarnation, csr })
    const { certificate, caCertificates } = answer.json
    return { key, cert: String(certificate), ca: String(caCertificates), answer }
  }
}

export async function joinNode(service: TlsBuilt, payload: Record<string, unknown> = {}) {
  return await TlsNode.join(service, (await makeToken(service, payload)).token)
}
