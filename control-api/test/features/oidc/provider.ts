// SPDX-License-Identifier: MIT
// A real identity provider on a socket of its own, with people and groups of the test's choice. What it
// answers at its token endpoint can be falsified on the way. The browser tests run it as well.
/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'

export type Person = { username: string; groups: string[] }
type Claims = Record<string, unknown>
/** null: leave the token as it is. */
export type Falsify = ((claims: Claims) => { claims: Claims; key?: KeyObject }) | null
export type TestProvider = {
  issuer: string
  people: Map<string, Person>
  falsify: Falsify
  /** Answers nothing but 503 while true. */
  away: boolean
}
export type Options = {
  redirectUri: string
  host?: string
  port?: number
  /** Groups in the ID token; else only at the userinfo endpoint. */
  inIdToken?: boolean
  isPublicClient?: boolean
}

export const CLIENT = { id: 'farmstead', secret: 'a secret of the client' }
export const otherKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
/** Of one run: making it takes time. */
const key = otherKey()
const KEY_ID = 'test'

/** `host`: what the issuer calls this machine; `port`: 0 is one the kernel chooses. */
export async function openProvider({
  host = '127.0.0.1',
  port = 0,
  ...options
}: Options): Promise<TestProvider & { close: () => void }> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const issuer = `http://${host}:${address.port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const provider: TestProvider & { close: () => void } = {
    ...{ issuer, people: new Map(), falsify: null, away: false, close },
  }
  const answer = new Provider(issuer, configuration(options, provider.people)).callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (provider.away) return response.writeHead(503).end()
    if (request.url === '/token') falsifyOnTheWay(response, provider)
    return answer(request, response)
  })
  return provider
}

function configuration(
  { redirectUri, inIdToken, isPublicClient }: Options,
  people: Map<string, Person>,
) {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        redirect_uris: [redirectUri],
        ...(isPublicClient
          ? { token_endpoint_auth_method: 'none' }
          : { client_secret: CLIENT.secret }),
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['of the test'] },
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    conformIdTokenClaims: !inIdToken,
    findAccount: (_context: unknown, id: string) => {
      const person = people.get(id)
      return (
        person && {
          accountId: id,
          claims: async () => ({
            sub: id,
            preferred_username: person.username,
            groups: person.groups,
          }),
        }
      )
    },
  }
}

function falsifyOnTheWay(response: ServerResponse, provider: TestProvider): void {
  const end = response.end.bind(response)
  response.end = ((body: string | Buffer) => {
    const falsified = provider.falsify ? falsifiedBody(String(body), provider.falsify) : body
    response.setHeader('content-length', Buffer.byteLength(falsified))
    return end(falsified)
  }) as ServerResponse['end']
}

function falsifiedBody(body: string, falsify: NonNullable<Falsify>): string {
  const tokens: { id_token?: string } = JSON.parse(body)
  const [header = '', payload = ''] = tokens.id_token?.split('.') ?? []
  const { claims, key: signingKey = key } = falsify(
    JSON.parse(Buffer.from(payload, 'base64url').toString()),
  )
  const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const signature = sign('sha256', Buffer.from(text), signingKey).toString('base64url')
  return JSON.stringify({ ...tokens, id_token: `${text}.${signature}` })
}
