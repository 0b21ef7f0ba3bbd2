// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { CertificateAuthority, ChallengeType, Order } from '../../src/acme/authority.ts'
import { checkIssued, type KeyType, newKeyAndRequest } from '../../src/acme/keys.ts'
import { serveTokens, startPebble, until } from './pebble.ts'

type Publish = (host: string, token: string, text: string) => Promise<void>
type Wish = {
  names: readonly string[]
  type?: ChallengeType
  keyType?: KeyType
  publish: Publish
}

async function prove(ca: CertificateAuthority, account: string, order: Order, wish: Wish) {
  const type = wish.type ?? 'http-01'
  for (const url of order.authorizations) {
    const { host, challenges } = await ca.authorization(account, url)
    const found = challenges.find((one) => one.type === type)
    if (!found) throw new Error(`no ${type} for ${host}`)
    await wish.publish(host, found.token, await ca.keyAuthorization(type, found.token))
    await ca.challengeReady(account, found.url)
  }
  let now = order
  await until(async () => {
    now = await ca.order(account, order.url)
    return now.status !== 'pending'
  })
  return now
}

async function issue(ca: CertificateAuthority, wish: Wish) {
  const account = await ca.register()
  const { names } = wish
  const order = await ca.newOrder(account, { names, profile: null, replaces: null })
  const proven = await prove(ca, account, order, wish)
  if (proven.status !== 'ready') return { account, proven, chain: '', issued: null }
  const { keyPem, csr } = await newKeyAndRequest(wish.keyType ?? 'ecdsa-p256', names)
  let last = await ca.finalize(account, proven, csr)
  await until(async () => {
    last = await ca.order(account, order.url)
    return last.status === 'valid'
  })
  const chain = await ca.download(account, last.certificate ?? '', null)
  return { account, proven, chain, issued: checkIssued(chain, keyPem, names, Date.now()) }
}

test('fifty names are proven by HTTP-01 while half of all nonces are refused', async () => {
  const pebble = await startPebble()
  const tokens = new Map<string, string>()
  await serveTokens(pebble.httpPort, () => tokens)
  const names = Array.from({ length: 50 }, (_, at) => `n${at}.example.org`)
  const publish: Publish = async (_host, token, text) => {
    tokens.set(token, text)
  }
  const { issued, chain } = await issue(pebble.client(), { names, publish })
  expect(issued?.notAfterMs).toBeGreaterThan(Date.now())
  expect(issued?.renewalId).toMatch(/^[\w-]+\.[\w-]+$/)
  expect(chain.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(1)
}, 60_000)

test('a wildcard beside its base name is proven by DNS-01, two values of one record', async () => {
  const pebble = await startPebble()
  const names = ['example.org', '*.example.org']
  const hosts: string[] = []
  const { issued } = await issue(pebble.client(), {
    names,
    type: 'dns-01',
    keyType: 'rsa-2048',
    publish: async (host, _token, value) => {
      hosts.push(host)
      await pebble.tellDns('set-txt', { host: `_acme-challenge.${host}.`, value })
    },
  })
  expect(issued).not.toBeNull()
  expect(hosts).toEqual(['example.org', 'example.org'])
}, 60_000)

test('a name that does not answer ends the order, and the challenge says why', async () => {
  const pebble = await startPebble()
  await serveTokens(pebble.httpPort, () => new Map())
  const ca = pebble.client()
  const publish = async () => {}
  const { proven, account } = await issue(ca, { names: ['a.example.org'], publish })
  expect(proven.status).toBe('invalid')
  const refused = await ca.authorization(account, proven.authorizations[0] ?? '')
  expect(refused.challenges[0]?.error?.detail).toContain('404')
}, 60_000)

test('accounts are bound to the CA’s own, and without that it says what is missing', async () => {
  const hmacKey = Buffer.alloc(32, 7).toString('base64url')
  const pebble = await startPebble({ externalAccounts: { 'kid-1': hmacKey } })
  await expect(pebble.client().register()).rejects.toThrow('give the key id and HMAC key')
  const wrong = pebble.client({ keyId: 'kid-1', hmacKey: Buffer.alloc(32).toString('base64url') })
  await expect(wrong.register()).rejects.toMatchObject({ kind: 'refused' })
  const right = pebble.client({ keyId: 'kid-1', hmacKey })
  expect(await right.register()).toMatch(/^https:/)
  // The same key is the same account: a crash before it was written down makes no second one.
  expect(await right.register()).toBe(await right.register())
}, 60_000)

test('a certificate is revoked once', async () => {
  const pebble = await startPebble()
  const tokens = new Map<string, string>()
  await serveTokens(pebble.httpPort, () => tokens)
  const ca = pebble.client()
  const publish: Publish = async (_host, token, text) => {
    tokens.set(token, text)
  }
  const { account, chain } = await issue(ca, { names: ['b.example.org'], publish })
  await ca.revoke(account, chain)
  await expect(ca.revoke(account, chain)).rejects.toMatchObject({ kind: 'refused' })
}, 60_000)
