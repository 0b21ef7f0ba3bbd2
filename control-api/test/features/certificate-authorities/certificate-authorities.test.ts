// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findAuthority, openAccount } from '../../../src/acme/authority-store.ts'
import { openSecretBox } from '../../../src/base/secret-box.ts'
import { startStubCa } from '../../acme/stub-ca.ts'
import { makeChain } from '../../certificates/make.ts'
import { type Built, build, shared } from '../../helper.ts'

const url = '/api/v1/certificate-authorities'

/** For what is refused: it has none. */
const sharedService = shared()
const DIRECTORY = 'https://ca.example.org/directory'
const HMAC_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'
const wish = { name: 'ca', directoryUrl: DIRECTORY, termsOfServiceAgreed: true }

const make = ({ admin }: Built, payload: object = {}) =>
  admin.inject({ method: 'POST', url, payload: { ...wish, ...payload } })
const change = ({ admin }: Built, payload: object, etag = '*') =>
  admin.inject({
    ...{ method: 'PATCH', url: `${url}/ca`, payload },
    headers: { 'if-match': etag },
  })
const remove = ({ admin }: Built, etag = '*') =>
  admin.inject({ method: 'DELETE', url: `${url}/ca`, headers: { 'if-match': etag } })
const account = async ({ services, config }: Built) => {
  const row = await findAuthority(services.db, 'ca')
  if (!row) throw new Error('there is none')
  return { ...row, ...openAccount(openSecretBox(config.dataDir), row) }
}

describe('a certificate authority', () => {
  test('is named by an operator, who says yes to its terms', async () => {
    const service = await build()
    const operator = await service.as('operator')
    const payload = { ...wish, contact: ['ops@example.org'] }
    const made = await operator.inject({ method: 'POST', url, payload })
    expect(made.statusCode, made.body).toBe(201)
    expect(made.headers.location).toBe(`${url}/ca`)
    expect(made.json()).toMatchObject({
      ...{ name: 'ca', directoryUrl: DIRECTORY, contact: ['ops@example.org'], usedBy: 0 },
      ...{ trustedRoots: false, externalAccountKeyId: null, state: 'unregistered' },
      ...{ heldUntil: null, failures: 0, lastError: null, createdBy: 'test-operator' },
    })
    const viewer = await service.as('viewer')
    expect((await viewer.inject({ url })).json().items).toEqual([made.json()])
    expect((await viewer.inject({ method: 'POST', url, payload })).statusCode).toBe(403)
    const unread = await make(service, { name: 'other', termsOfServiceAgreed: false })
    expect(unread.json()).toMatchObject({
      ...{ status: 400, code: 'invalid_request' },
      errors: [{ pointer: '/termsOfServiceAgreed' }],
    })
    expect((await make(service)).json().code).toBe('certificate_authority_exists')
  })

  test('has secrets that no answer, no event and no row tells', async () => {
    const service = await build()
    const externalAccount = { keyId: 'kid-1', hmacKey: HMAC_KEY }
    const said = [await make(service, { externalAccount })]
    const hmacKey = `${HMAC_KEY}AA`
    said.push(await change(service, { externalAccount: { keyId: 'kid-2', hmacKey } }))
    said.push(await service.admin.inject({ url }), await service.admin.inject({ url: `${url}/ca` }))
    expect(said.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200, 200])
    expect(said[3]?.json().externalAccountKeyId).toBe('kid-2')
    expect((await account(service)).externalAccount).toEqual({ keyId: 'kid-2', hmacKey })
    said.push(await remove(service), await service.admin.inject({ url: '/api/v1/audit' }))
    const { db } = service.services
    const { rows: events } = await sql`select * from events`.execute(db)
    const { rows: answers } = await sql`select * from idempotency_keys`.execute(db)
    const kept = JSON.stringify([said.map(({ body }) => body), events, answers])
    for (const secret of [HMAC_KEY, 'PRIVATE KEY']) expect(kept).not.toContain(secret)
    expect(kept).toContain('kid-1')
  })

  test('gets another account with another binding, and keeps it with another contact', async () => {
    const service = await build()
    const first = await make(service)
    const before = await account(service)
    await service.services.db
      .updateTable('certificate_authorities')
      .set({ account_url: 'https://ca.example.org/account/1', failures: 3, held_until_ms: 8e12 })
      .execute()
    expect((await service.admin.inject({ url: `${url}/ca` })).json()).toMatchObject({
      ...{ state: 'held', failures: 3, heldUntil: expect.any(String) },
    })
    const contact = await change(
      service,
      { contact: ['a@example.org'] },
      String(first.headers.etag),
    )
    expect(contact.json()).toMatchObject({
      state: 'ready',
      contact: ['a@example.org'],
      failures: 0,
    })
    expect((await account(service)).accountKey).toBe(before.accountKey)
    const stale = await change(service, { contact: [] }, String(first.headers.etag))
    expect(stale.statusCode).toBe(412)
    const bound = await change(service, { externalAccount: { keyId: 'k', hmacKey: HMAC_KEY } })
    expect(bound.json()).toMatchObject({ state: 'unregistered', externalAccountKeyId: 'k' })
    expect((await account(service)).accountKey).not.toBe(before.accountKey)
    const unbound = await change(service, { externalAccount: null })
    expect(unbound.json().externalAccountKeyId).toBeNull()
    const roots = (await makeChain(['a.example'])).chain
    expect((await change(service, { trustedRoots: roots })).json().trustedRoots).toBe(true)
    expect((await change(service, { trustedRoots: null })).json().trustedRoots).toBe(false)
  })

  test.each([
    [{ directoryUrl: 'http://ca.example.org/' }, 400, 'invalid_request', '/directoryUrl'],
    [{ directoryUrl: 'https://' }, 422, 'certificate_authority_invalid', '/directoryUrl'],
    [
      { directoryUrl: 'https://a:b@ca.example/' },
      422,
      'certificate_authority_invalid',
      '/directoryUrl',
    ],
    [{ directoryUrl: 'https://10.0.0.1/dir' }, 422, 'address_refused', undefined],
    [{ trustedRoots: 'no PEM' }, 422, 'certificate_authority_invalid', '/trustedRoots'],
    [
      { trustedRoots: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      422,
      'certificate_authority_invalid',
      '/trustedRoots',
    ],
    [
      { externalAccount: { keyId: 'k', hmacKey: `${HMAC_KEY}\n` } },
      400,
      'invalid_request',
      '/externalAccount/hmacKey',
    ],
    [{ externalAccount: { keyId: 'k' } }, 400, 'invalid_request', '/externalAccount/hmacKey'],
    [{ contact: ['mailto:a@example.org?to=b'] }, 400, 'invalid_request', '/contact/0'],
    [{ contact: ['a@b.example', 'a@b.example'] }, 400, 'invalid_request', '/contact'],
  ])('%j is refused, and says where', async (part, status, code, pointer) => {
    const service = sharedService()
    const refused = (await make(service, part)).json()
    expect([refused.status, refused.code, refused.errors?.[0].pointer]).toEqual([
      status,
      code,
      pointer,
    ])
    expect((await service.admin.inject({ url })).json().items).toEqual([])
  })

  test('stays while a certificate names it, and says which', async () => {
    const service = await build()
    await make(service)
    const payload = { name: 'shop', names: ['shop.example'], authorities: [{ name: 'ca' }] }
    const managed = '/api/v1/managed-certificates'
    await service.admin.inject({ method: 'POST', url: managed, payload })
    expect((await service.admin.inject({ url: `${url}/ca` })).json().usedBy).toBe(1)
    const refused = await remove(service)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'authority_in_use'])
    expect(refused.json().detail).toContain('shop')
    const headers = { 'if-match': '*' }
    await service.admin.inject({ method: 'DELETE', url: `${managed}/shop`, headers })
    expect((await remove(service)).statusCode).toBe(204)
    expect((await service.admin.inject({ url: `${url}/ca` })).json().code).toBe(
      'certificate_authority_not_found',
    )
  })

  test('says on request whether it answers, and what it offers', async () => {
    const service = await build({ config: { webhookAllow: ['127.0.0.0/8'] } })
    const ca = await startStubCa(Date.now)
    ca.lifeMs.set('shortlived', 6 * 24 * 3600_000)
    const { directoryUrl, trustedRoots } = ca
    await make(service, { directoryUrl, trustedRoots })
    const ask = async () =>
      (await service.admin.inject({ method: 'POST', url: `${url}/ca/actions/test` })).json()
    expect(await ask()).toMatchObject({
      ...{ reachable: true, error: null, externalAccountRequired: false },
      profiles: [{ name: 'shortlived' }],
    })
    await change(service, { trustedRoots: null })
    expect(await ask()).toMatchObject({
      reachable: false,
      error: expect.stringMatching(/self.signed/),
    })
    await change(service, { trustedRoots })
    ca.isAway = true
    expect(await ask()).toMatchObject({ reachable: false, profiles: [] })
    expect(ca.asked.every((one) => one === 'GET /directory')).toBe(true)
    const none = await service.admin.inject({ method: 'POST', url: `${url}/x/actions/test` })
    expect(none.statusCode).toBe(404)
  })
})

test('there are fifty', async () => {
  const service = await build()
  for (let at = 1; at <= 50; at++) {
    expect((await make(service, { name: `ca-${at}` })).statusCode).toBe(201)
  }
  expect((await make(service, { name: 'more' })).json().code).toBe(
    'too_many_certificate_authorities',
  )
  const { items, nextCursor } = (await service.admin.inject({ url: `${url}?limit=30` })).json()
  const rest = (await service.admin.inject({ url: `${url}?limit=30&cursor=${nextCursor}` })).json()
  expect([items.length, rest.items.length, rest.nextCursor]).toEqual([30, 20, null])
})
