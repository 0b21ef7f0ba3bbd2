// SPDX-License-Identifier: MIT
// A node that joins and speaks over real TLS, with the test that it is of.
import { randomBytes } from 'node:crypto'
import { Agent } from 'node:https'
import { beforeAll, onTestFinished } from 'vitest'
import type { Overrides } from '../../src/app.ts'
import type { Config } from '../../src/environment/config.ts'
import { type Built, build, shared } from '../helper.ts'
import { example, makeToken } from './node-client.ts'
import { type Answer, ask, type Certified, joinOverTls, newKey } from './tls-joining.ts'

export type TlsBuilt = Built & { port: number }

/** The service with its agent listener on a port of its own, over TLS. */
export async function buildTls(
  options: Overrides & { config?: Partial<Config> } = {},
): Promise<TlsBuilt> {
  const { config, ...overrides } = options
  const service = await build({ ...overrides, config: { ...OVER_TLS, ...config } })
  return { ...service, port: await portOf(service) }
}
const OVER_TLS = { agentTransport: 'mtls', agentUrl: 'https://control.example:9701' } as const

/** As `shared`, over TLS. */
export function sharedTls(): () => TlsBuilt {
  const service = shared({ config: OVER_TLS })
  let port = 0
  beforeAll(async () => {
    port = await portOf(service())
  })
  return () => ({ ...service(), port })
}

async function portOf({ agents }: Built): Promise<number> {
  await agents.listen({ host: '127.0.0.1', port: 0 })
  const address = agents.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
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
    const body = example('enrol.request')
    const { certified, ...who } = await joinOverTls(service.port, { token, body, wanted })
    return new TlsNode(service.port, who, certified)
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
