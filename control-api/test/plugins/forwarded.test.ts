// SPDX-License-Identifier: MIT
// What proxies really send of where a request came from, and as whom a browser's page speaks behind them.
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../../src/plugins/forwarded.ts'
import { PASSWORD, shared } from '../helper.ts'

const PUBLIC_URL = 'https://farm.example.org'
const trustProxy = ['127.0.0.1']
const behindProxy = shared({ config: { trustProxy } })
const withPublicUrl = shared({ config: { trustProxy, publicUrl: PUBLIC_URL } })

describe('X-Forwarded-For', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:51234', '192.0.2.1'],
    ['[2001:db8::1]:51234', '2001:db8::1'],
    ['"[2001:db8::1]"', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['203.0.113.9, 192.0.2.1:80', '203.0.113.9, 192.0.2.1'],
    ['192.0.2.1,', '192.0.2.1'],
    ['unknown', null],
    ['', null],
    ['999.1.1.1', null],
    ['a'.repeat(5000), null],
    // Left of what says nothing, anybody may have written.
    ['203.0.113.9, unknown', null],
    ['203.0.113.9, unknown, 192.0.2.1', '192.0.2.1'],
  ])('%j holds %j', (header, addresses) => {
    expect(addressesIn(header)).toBe(addresses)
  })

  test.each([
    ['[2001:db8::1]:51234', '2001:db8::1'],
    ['203.0.113.9, 192.0.2.1:80', '192.0.2.1'],
    ['unknown', '127.0.0.1'],
  ])('%j is in the audit as %s', async (header, address) => {
    const { app, admin, as } = behindProxy()
    await as('viewer')
    const payload = { username: 'test-viewer', password: PASSWORD }
    const headers = { 'x-forwarded-for': header }
    const url = '/api/v1/session'
    expect((await app.inject({ method: 'POST', url, payload, headers })).statusCode).toBe(201)
    const { items } = (await admin.inject({ url: '/api/v1/audit?limit=1' })).json()
    expect(items).toMatchObject([{ action: 'signed-in', address }])
  })
})

describe('a page of the console', () => {
  const signIn = async (headers: Record<string, string>, publicUrl: typeof PUBLIC_URL | null) => {
    const { app, as } = publicUrl === null ? behindProxy() : withPublicUrl()
    await as('viewer')
    const payload = { username: 'test-viewer', password: PASSWORD }
    const url = '/api/v1/session'
    return (await app.inject({ method: 'POST', url, payload, headers })).statusCode
  }

  test.each([
    ['whose proxy sends its own host on', { host: '127.0.0.1:9700' }],
    ['whose proxies each name a scheme', { 'x-forwarded-proto': 'https, http' }],
    ['whose proxy says nothing of TLS', { host: 'farm.example.org' }],
  ])('%s speaks as the public address', async (_what, headers) => {
    expect(await signIn({ origin: PUBLIC_URL, ...headers }, PUBLIC_URL)).toBe(201)
    expect(await signIn({ origin: PUBLIC_URL, ...headers }, null)).toBe(403)
  })

  test.each([
    ['https', 'farm.example.org:443'],
    ['HTTPS', 'Farm.Example.ORG'],
  ])('is known where a proxy writes %s and %s', async (scheme, host) => {
    const headers = { origin: PUBLIC_URL, 'x-forwarded-proto': scheme, host }
    expect(await signIn(headers, null)).toBe(201)
  })

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
    { origin: 'http://farm.example.org' },
    { origin: 'https://farm.example.org:8443' },
  ])('is no other one: %j', async (headers) => {
    const behind = { host: 'farm.example.org', 'x-forwarded-proto': 'https' }
    expect(await signIn({ ...behind, ...headers }, PUBLIC_URL)).toBe(403)
  })
})
