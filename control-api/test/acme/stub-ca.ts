// SPDX-License-Identifier: MIT
// A CA for what Pebble cannot be told to do: to be away, to say when to ask again, to suggest times, to have profiles, to
// answer late. It signs really, and believes whoever says that a name is theirs; who speaks is not checked.
import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { onTestFinished } from 'vitest'
import { DAY_MS, make } from '../certificates/make.ts'
import { selfSigned } from './pebble.ts'

type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: object | string
  type?: string
}
type StubOrder = {
  names: string[]
  profile: string | null
  replaces: string | null
  told: Set<string>
  certificate: string | null
}
export type StubCa = Awaited<ReturnType<typeof startStubCa>>

const json = (body: object, more: Reply = {}): Reply => ({ body, ...more })
export const problem = (type: string, status: number, headers = {}): Reply => ({
  status,
  headers,
  type: 'application/problem+json',
  body: { type: `urn:ietf:params:acme:error:${type}`, detail: `it is ${type}` },
})

export async function startStubCa(now: () => number) {
  const tls = selfSigned()
  const root = await make({ isCa: true, subject: 'CN=stub root', toMs: Date.now() + 4000 * DAY_MS })
  const orders: StubOrder[] = []
  const asked: string[] = []
  const ca = {
    directoryUrl: '',
    trustedRoots: tls.pem,
    orders,
    /** Methods and paths, in the order they came. */
    asked,
    /** As many connections were open at the same time. */
    busiest: 0,
    isAway: false,
    /** Instead of what it would say, by path without the number. */
    instead: new Map<string, Reply>(),
    /** By profile; '': without one. */
    lifeMs: new Map([['', 90 * DAY_MS]]),
    /** What it suggests; null: it has no such information. */
    window: null as { startMs: number; endMs: number } | null,
  }
  const options = { key: readFileSync(tls.key), cert: readFileSync(tls.certificate) }
  const server = createServer(options, (request, response) => {
    void answer(request, response)
  }).listen(0, '127.0.0.1')
  let open = 0
  server.on('connection', (socket) => {
    open += 1
    ca.busiest = Math.max(ca.busiest, open)
    socket.once('close', () => {
      open -= 1
    })
  })
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  ca.directoryUrl = `${base}/directory`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    asked.push(`${request.method} ${path}`)
    if (ca.isAway) return void request.socket.destroy()
    const reply = ca.instead.get(path.split('/')[1] ?? '') ?? (await replyTo(path, request))
    const { status = 200, headers, body = '', type = 'application/json' } = reply
    response.writeHead(status, { 'content-type': type, 'replay-nonce': 'n', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  async function replyTo(path: string, request: IncomingMessage): Promise<Reply> {
    const [, name = '', at = '', host = ''] = path.split('/')
    const payload = await payloadOf(request)
    const order = orders[Number(at)]
    switch (name) {
      case 'directory':
        return json(directory())
      case 'account':
        return json(
          { status: 'valid' },
          { status: 201, headers: { location: `${base}/account/1` } },
        )
      case 'newOrder':
        return makeOrder(payload)
      case 'order':
        return json(shown(order, at))
      case 'authorization':
        return json(authorization(order, at, host))
      case 'challenge':
        order?.told.add(host)
        return json({})
      case 'finalize':
        return await sign(order, at, String(payload.csr))
      case 'certificate':
        return { body: order?.certificate ?? '', type: 'application/pem-certificate-chain' }
      case 'renewalInfo':
        return json({ suggestedWindow: windowOf() }, { headers: { 'retry-after': '21600' } })
      default:
        return json({})
    }
  }

  const directory = () => ({
    newNonce: `${base}/nonce`,
    newAccount: `${base}/account`,
    newOrder: `${base}/newOrder`,
    ...(ca.window && { renewalInfo: `${base}/renewalInfo` }),
    meta: {
      profiles: Object.fromEntries([...ca.lifeMs.keys()].filter(Boolean).map((one) => [one, 'x'])),
    },
  })
  const windowOf = () => ({
    start: new Date(ca.window?.startMs ?? 0).toISOString(),
    end: new Date(ca.window?.endMs ?? 0).toISOString(),
  })

  function makeOrder({ identifiers, profile, replaces }: Record<string, unknown>): Reply {
    const names = (identifiers as { value: string }[]).map(({ value }) => value)
    const text = (value: unknown) => (typeof value === 'string' ? value : null)
    const made = { names, profile: text(profile), replaces: text(replaces) }
    orders.push({ ...made, told: new Set(), certificate: null })
    const at = String(orders.length - 1)
    const location = `${base}/order/${at}`
    return json(shown(orders.at(-1), at), { status: 201, headers: { location } })
  }
  const shown = (order: StubOrder | undefined, at: string) => {
    const isProven = order?.names.every((name) => order.told.has(name))
    const status = order?.certificate ? 'valid' : isProven ? 'ready' : 'pending'
    return {
      status,
      expires: new Date(now() + 7 * DAY_MS).toISOString(),
      authorizations: order?.names.map((name) => `${base}/authorization/${at}/${name}`),
      finalize: `${base}/finalize/${at}`,
      ...(order?.certificate && { certificate: `${base}/certificate/${at}` }),
    }
  }
  const authorization = (order: StubOrder | undefined, at: string, name: string) => {
    const status = order?.told.has(name) ? 'valid' : 'pending'
    const isWildcard = name.startsWith('*.')
    const token = `token-${at}-${name}`.replace(/[^\w-]/g, '_').padEnd(20, '_')
    return {
      status,
      identifier: { type: 'dns', value: name.replace(/^\*\./, '') },
      ...(isWildcard && { wildcard: true }),
      challenges: ['http-01', 'dns-01'].map((type) => ({
        ...{ type, url: `${base}/challenge/${at}/${name}`, token, status },
      })),
    }
  }

  async function sign(order: StubOrder | undefined, at: string, csr: string): Promise<Reply> {
    if (!order) return problem('malformed', 404)
    const request = new Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'))
    const lifeMs = ca.lifeMs.get(order.profile ?? '') ?? DAY_MS
    const made = await X509CertificateGenerator.create({
      serialNumber: randomBytes(8).toString('hex').replace(/^./, '1'),
      subject: '',
      issuer: root.subject,
      notBefore: new Date(now() - 60_000),
      notAfter: new Date(now() - 60_000 + lifeMs),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      signingKey: root.signing,
      publicKey: request.publicKey,
      extensions: [
        new SubjectAlternativeNameExtension(
          order.names.map((value) => ({ type: 'dns' as const, value })),
        ),
        new AuthorityKeyIdentifierExtension('aabbccdd'),
      ],
    })
    order.certificate ??= `${made.toString('pem')}\n${root.pem}`
    return json(shown(order, at))
  }
  return ca
}

async function payloadOf(request: AsyncIterable<Buffer>): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { payload = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}')
}
