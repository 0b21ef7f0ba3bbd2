// SPDX-License-Identifier: MIT
// What a CA, or whatever answers in its place, may send: bounded, and told apart.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createAcmeClient } from '../../src/acme/client.ts'
import { checkIssued, newAccountKey, newKeyAndRequest } from '../../src/acme/keys.ts'
import { makeCa } from '../../src/ca/x509.ts'
import { exchangeFor, selfSigned } from './pebble.ts'

async function serve(listener: RequestListener, timeoutMs?: number) {
  const tls = selfSigned()
  const options = { key: readFileSync(tls.key), cert: readFileSync(tls.certificate) }
  const server = createServer(options, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, exchange: exchangeFor(tls.pem, timeoutMs) }
}

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown }

/** Answers by path; the directory and nonces are there. */
async function stub(replies: Record<string, Reply>, meta: object = {}) {
  const asked: { path: string; payload: Record<string, unknown> }[] = []
  const { base, exchange } = await serve(async (request, response) => {
    const path = request.url ?? ''
    const { payload = '' } = JSON.parse((await textOf(request)) || '{}')
    asked.push({ path, payload: JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') })
    const names = ['newNonce', 'newAccount', 'newOrder', 'renewalInfo']
    const urls = Object.fromEntries(names.map((name) => [name, `${base}/${name}`]))
    const directory: Reply = { body: { ...urls, meta } }
    const { status = 200, headers, body } = replies[path] ?? (path === '/dir' ? directory : {})
    const type = status >= 400 ? 'application/problem+json' : 'application/json'
    response.writeHead(status, { 'content-type': type, 'replay-nonce': 'n', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const client = createAcmeClient({
    directoryUrl: `${base}/dir`,
    accountKey: newAccountKey(),
    contact: [],
    externalAccount: null,
    exchange,
    now: () => 0,
  })
  return { base, client, asked }
}

async function textOf(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const problem = (type: string) => ({
  type: `urn:ietf:params:acme:error:${type}`,
  detail: 'so it is',
})
const order = { names: ['a.example.org'], profile: null, replaces: null }
const made = {
  status: 201,
  headers: { location: 'https://ca.example/order/1' },
  body: { status: 'pending', authorizations: [], finalize: 'https://ca.example/f' },
}

test('a body without end is left, a redirect is not followed, silence is ended', async () => {
  const endless = await serve((_request, response) => {
    const more = () => response.write(Buffer.alloc(65_536), () => response.destroyed || more())
    more()
  })
  await expect(endless.exchange('GET', endless.base)).rejects.toThrow('more than 512 KiB')
  const loop = await serve((_request, response) => {
    response.writeHead(302, { location: '/' }).end()
  })
  await expect(loop.exchange('GET', loop.base)).rejects.toThrow('redirects are not followed')
  const silent = await serve(() => {}, 200)
  await expect(silent.exchange('GET', silent.base)).rejects.toThrow('no answer within 0.2 s')
  await expect(silent.exchange('GET', 'http://127.0.0.1/')).rejects.toThrow('not https')
})

test('a CA whose root nobody gave is not spoken with', async () => {
  const { base } = await serve((_request, response) => response.end())
  await expect(exchangeFor(selfSigned().pem)('GET', base)).rejects.toMatchObject({ kind: 'away' })
})

test.each([
  ['a proxy’s page', { headers: { 'content-type': 'text/html' }, body: '<p>Be right back' }],
  ['no JSON', { status: 201, headers: made.headers, body: '{"status":' }],
  ['a list', { status: 201, headers: made.headers, body: [] }],
  ['an order without a state', { ...made, body: { ...made.body, status: 'sleeping' } }],
  ['an order that is nowhere', { ...made, headers: {} }],
  ['a nonce it never takes', { status: 400, body: problem('badNonce') }],
  ['its own failure', { status: 500, body: problem('serverInternal') }],
])('away: %s', async (_what, reply) => {
  const { client } = await stub({ '/newOrder': reply })
  await expect(client.newOrder('https://ca.example/acct', order)).rejects.toMatchObject({
    kind: 'away',
  })
})

test('a nonce that is never taken is tried twenty times', async () => {
  const { client, asked } = await stub({ '/newOrder': { status: 400, body: problem('badNonce') } })
  await expect(client.newOrder('https://ca.example/acct', order)).rejects.toThrow('so it is')
  expect(asked.filter(({ path }) => path === '/newOrder')).toHaveLength(20)
})

test.each([
  ['rateLimited', 429, 'rate-limited'],
  ['rateLimited', 403, 'rate-limited'],
  ['accountDoesNotExist', 400, 'no-account'],
  ['alreadyReplaced', 409, 'replaced'],
  ['rejectedIdentifier', 400, 'refused'],
])('%s with %i is %s', async (type, status, kind) => {
  const headers = { 'retry-after': '7200' }
  const { client } = await stub({ '/newOrder': { status, headers, body: problem(type) } })
  await expect(client.newOrder('https://ca.example/acct', order)).rejects.toMatchObject({
    kind,
    retryAfterMs: 7_200_000,
  })
})

test('a profile is asked for when the CA has it, and refused by name when not', async () => {
  const { client, asked } = await stub(
    { '/newOrder': made },
    { profiles: { shortlived: 'six days' } },
  )
  const replaces = 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'
  await client.newOrder('https://ca.example/acct', { ...order, profile: 'shortlived', replaces })
  expect(asked.at(-1)?.payload).toMatchObject({ profile: 'shortlived', replaces })
  const other = client.newOrder('https://ca.example/acct', { ...order, profile: 'tlsserver' })
  await expect(other).rejects.toThrow('no profile "tlsserver"; it has shortlived')
})

test('renewal information is read with when to ask again; a window that is none is not', async () => {
  const window = { start: '1970-02-01T00:00:00Z', end: '1970-02-02T00:00:00Z' }
  const { client } = await stub({
    '/renewalInfo/good': { headers: { 'retry-after': '21600' }, body: { suggestedWindow: window } },
    '/renewalInfo/script': {
      body: { suggestedWindow: window, explanationURL: 'javascript:alert(1)' },
    },
    '/renewalInfo/bad': { body: { suggestedWindow: { start: window.end, end: window.start } } },
  })
  expect(await client.renewalInfo('good')).toEqual({
    startMs: Date.parse(window.start),
    endMs: Date.parse(window.end),
    explanationUrl: null,
    retryAfterMs: 21_600_000,
  })
  // People follow it.
  expect((await client.renewalInfo('script'))?.explanationUrl).toBeNull()
  await expect(client.renewalInfo('bad')).rejects.toThrow('a time to renew that is none')
})

test('a token that is a path is no token', async () => {
  const { client } = await stub({})
  const told = client.keyAuthorization('http-01', '../../../etc/passwd-of-some')
  await expect(told).rejects.toThrow('a token that is none')
})

test('a chain for another key, or none at all, is not taken', async () => {
  const { keyPem } = await newKeyAndRequest('ecdsa-p256', ['a.example.org'])
  const ca = await makeCa(Date.now())
  const check = (chain: string, key: string) =>
    checkIssued(chain, key, ['a.example.org'], Date.now())
  expect(() => check(ca.certificatePem, keyPem)).toThrow('a certificate of another key')
  expect(() => check(ca.certificatePem, ca.keyPem)).toThrow('is not for a.example.org')
  expect(() => check('', keyPem)).toThrow('a chain without a certificate')
  expect(() => check(ca.certificatePem.repeat(11), keyPem)).toThrow('a chain of 11 certificates')
  const other = await makeCa(Date.now())
  const mixed = ca.certificatePem + other.certificatePem
  expect(() => check(mixed, ca.keyPem)).toThrow('certificate 1 is not signed by the next')
})
