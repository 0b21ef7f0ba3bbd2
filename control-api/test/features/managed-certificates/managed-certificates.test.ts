// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { insertNode } from '../../../src/node-identity/store/nodes.ts'
import { startStubCa } from '../../acme/stub-ca.ts'
import { makeChain } from '../../certificates/make.ts'
import { type Built, build, type Client } from '../../helper.ts'
import { startReceiver, status } from '../webhooks/test-receiver.ts'

const url = '/api/v1/managed-certificates'
/** Proven by a program of the test's: no node is needed. */
const wish = {
  ...{ name: 'shop', names: ['shop.example'], authorities: [{ name: 'ca' }] },
  challenge: { type: 'dns-01', webhook: 'dns' },
}

const make = ({ admin }: Built, payload: object = {}) =>
  admin.inject({ method: 'POST', url, payload: { ...wish, ...payload } })
const get = async (client: Client, path = '/shop') =>
  (await client.inject({ url: url + path })).json()
const change = ({ admin }: Built, payload: object, etag = '*') =>
  admin.inject({ method: 'PATCH', url: `${url}/shop`, payload, headers: { 'if-match': etag } })
const remove = ({ admin }: Built, etag = '*') =>
  admin.inject({ method: 'DELETE', url: `${url}/shop`, headers: { 'if-match': etag } })
const act = ({ admin }: Built, action: string, name = 'shop') =>
  admin.inject({ method: 'POST', url: `${url}/${name}/actions/${action}` })
const upload = async ({ admin }: Built) => {
  const { chain, key } = await makeChain(['shop.example'])
  const payload = { name: 'shop', chain, key }
  const made = await admin.inject({ method: 'POST', url: '/api/v1/certificates', payload })
  expect(made.statusCode, made.body).toBe(201)
}
const audited = async ({ admin }: Built) => {
  const { items } = (await admin.inject({ url: '/api/v1/audit?kind=certificate' })).json()
  return items.map(({ action, actor }: { action: string; actor: string }) => `${actor} ${action}`)
}

/** With an authority that is there and answers; `isAway`: that does not. */
async function farm({ isAway = false } = {}) {
  const service = await build({ config: { webhookAllow: ['127.0.0.0/8'] } })
  const ca = await startStubCa(Date.now)
  ca.isAway = isAway
  const { directoryUrl, trustedRoots } = ca
  for (const name of ['ca', 'other']) {
    const payload = { name, directoryUrl, trustedRoots, termsOfServiceAgreed: true }
    await service.admin.inject({ method: 'POST', url: '/api/v1/certificate-authorities', payload })
  }
  const dns = await startReceiver()
  await service.admin.inject({
    ...{ method: 'POST', url: '/api/v1/dns-webhooks' },
    payload: { name: 'dns', url: dns.url },
  })
  return { service, ca, dns }
}
const until = (service: Built, path = '/shop') => ({
  is: (state: object) =>
    expect.poll(() => get(service.admin, path), { timeout: 10_000 }).toMatchObject(state),
})

describe('a managed certificate', () => {
  test('is ordered by who asks for it, and shows what it has and what comes next', async () => {
    const { service } = await farm()
    const operator = await service.as('operator')
    const made = await operator.inject({ method: 'POST', url, payload: wish })
    expect(made.statusCode, made.body).toBe(201)
    expect(made.headers.location).toBe(`${url}/shop`)
    expect(made.json()).toMatchObject({
      ...{ name: 'shop', names: ['shop.example'], keyType: 'ecdsa-p256', paused: false },
      ...{ authorities: [{ name: 'ca', profile: null }], challenge: wish.challenge },
      ...{ preferredChain: null, rollOut: true, renewalWindow: null, certificate: null },
      createdBy: 'test-operator',
    })
    await until(service).is({
      ...{ state: 'issued', order: null, lastError: null },
      certificate: { version: 1, state: 'good' },
      next: { action: 'renew', because: expect.stringContaining('life') },
    })
    const { renewAt, next } = await get(service.admin)
    expect(next.at).toBe(renewAt)
    const { items } = await get(service.admin, '/shop/orders')
    expect(items).toMatchObject([
      {
        ...{ certificate: 'shop', authority: 'ca', state: 'issued', startedBy: 'test-operator' },
        ...{ version: 1, nextAt: null, waitingFor: null, names: ['shop.example'] },
      },
    ])
    const version = (await service.admin.inject({ url: '/api/v1/certificates/shop' })).json()
    expect(version.latestVersion).toMatchObject({ source: 'acme', orderId: items[0].id })
    expect(await audited(service)).toEqual([
      'null issued',
      'acme created',
      'test-operator ordered',
      'test-operator managed',
    ])
    const viewer = await service.as('viewer')
    expect(await get(viewer)).toEqual(await get(service.admin))
    for (const action of ['order-now', 'pause', 'resume', 'cancel']) {
      const refused = await viewer.inject({ method: 'POST', url: `${url}/shop/actions/${action}` })
      expect(refused.statusCode).toBe(403)
    }
  })

  test('of a CA that does not answer says so, and when it is asked again', async () => {
    const { service } = await farm({ isAway: true })
    await make(service)
    await until(service).is({
      state: 'ordering',
      order: { state: 'new', lastError: expect.stringContaining('could not be asked') },
      next: { action: 'continue', at: expect.any(String) },
    })
    const { order, next } = await get(service.admin)
    expect(order.nextAt).toBe(next.at)
    expect((await get(service.admin, '/shop/orders')).items).toEqual([order])
    const [ca] = (await service.admin.inject({ url: '/api/v1/certificate-authorities' })).json()
      .items
    expect(ca).toMatchObject({ state: 'held', failures: 1, lastError: order.lastError, usedBy: 1 })
    const again = await act(service, 'order-now')
    expect([again.statusCode, again.json().code]).toEqual([409, 'order_open'])
    expect((await act(service, 'cancel')).json()).toMatchObject({ order: null, state: 'waiting' })
    const none = await act(service, 'cancel')
    expect([none.statusCode, none.json().code]).toEqual([409, 'no_order_open'])
    await service.acme.look()
    expect((await get(service.admin, '/shop/orders')).items).toMatchObject([{ state: 'cancelled' }])
    // The CA has its rest: nobody asks it sooner by asking us.
    expect((await act(service, 'order-now')).json()).toMatchObject({ state: 'waiting' })
    await service.acme.look()
    const { next: later } = await get(service.admin)
    expect(later).toMatchObject({ action: 'order', at: ca.heldUntil })
  })

  test('whose order was cancelled has no other before somebody asks for it, or a day is over', async () => {
    const { service, dns } = await farm()
    // Not everywhere yet.
    dns.answer = status(202)
    await make(service)
    await until(service).is({ order: { state: 'publishing', waitingFor: { nodes: [] } } })
    const cancelled = (await act(service, 'cancel')).json()
    await service.acme.look()
    await service.acme.look()
    const { order, state, next } = await get(service.admin)
    expect({ order, state, action: next.action }).toEqual({
      order: null,
      state: 'waiting',
      action: 'order',
    })
    expect(cancelled).toMatchObject({ order: null, state: 'waiting' })
    expect(next.because).toContain('cancelled')
    expect(Date.parse(next.at)).toBeGreaterThan(Date.now() + 23 * 3600_000)
    dns.answer = status(200)
    expect((await act(service, 'order-now')).statusCode).toBe(200)
    await until(service).is({ state: 'issued', certificate: { version: 1 } })
  })

  test('that was uploaded is renewed when its time has come, or when somebody asks', async () => {
    const { service } = await farm()
    await upload(service)
    await make(service)
    await service.acme.look()
    await until(service).is({
      ...{ state: 'issued', order: null, certificate: { version: 1 } },
      next: { action: 'renew', at: expect.any(String) },
    })
    const headers = { 'if-match': '*' }
    const kept = await service.admin.inject({
      ...{ method: 'DELETE', url: '/api/v1/certificates/shop', headers },
    })
    expect([kept.statusCode, kept.json().code]).toEqual([409, 'certificate_managed'])
    expect((await act(service, 'order-now')).statusCode).toBe(200)
    await until(service).is({ certificate: { version: 2 }, state: 'issued' })
    expect((await remove(service)).statusCode).toBe(204)
    expect((await get(service.admin)).code).toBe('managed_certificate_not_found')
    expect((await service.admin.inject({ url: '/api/v1/certificates/shop' })).statusCode).toBe(200)
    expect((await audited(service))[0]).toBe('test-admin management-ended')
  })

  test('is ordered at once beside a good one only when that is asked for', async () => {
    const { service } = await farm()
    await upload(service)
    await make(service, { orderNow: true })
    await until(service).is({ certificate: { version: 2 }, state: 'issued' })
  })

  test('that is paused begins nothing until it is resumed', async () => {
    const { service, ca } = await farm()
    await upload(service)
    await make(service)
    const paused = await act(service, 'pause')
    expect(paused.json()).toMatchObject({
      ...{ paused: true, state: 'paused', next: { action: 'none', at: null } },
    })
    expect((await act(service, 'pause')).headers.etag).toBe(paused.headers.etag)
    const refused = await act(service, 'order-now')
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'management_paused'])
    expect((await act(service, 'resume')).json()).toMatchObject({ paused: false })
    await until(service).is({ state: 'issued' })
    expect(ca.orders).toEqual([])
    expect((await audited(service)).slice(0, 2)).toEqual([
      'test-admin management-resumed',
      'test-admin management-paused',
    ])
  })

  test('is changed on top of what one has seen; names that it lacks are ordered at once', async () => {
    const { service, ca } = await farm()
    const made = await make(service)
    await until(service).is({ state: 'issued' })
    const etag = String(made.headers.etag)
    const names = ['shop.example', 'www.shop.example']
    const changed = await change(service, { names }, etag)
    expect(changed.json()).toMatchObject({ names, authorities: [{ name: 'ca', profile: null }] })
    expect((await change(service, { names }, etag)).statusCode).toBe(412)
    expect((await remove(service, etag)).statusCode).toBe(412)
    await until(service).is({ state: 'issued', certificate: { version: 2 } })
    expect(ca.orders.at(-1)?.names).toEqual(names)
    const more = {
      ...{ keyType: 'rsa-2048', preferredChain: 'Root X', rollOut: false },
      authorities: [{ name: 'other', profile: 'short' }],
    }
    expect((await change(service, more)).json()).toMatchObject(more)
    const dns = await service.admin.inject({
      ...{ method: 'DELETE', url: '/api/v1/dns-webhooks/dns', headers: { 'if-match': '*' } },
    })
    expect(dns.json()).toMatchObject({ status: 409, code: 'dns_webhook_in_use' })
    expect(dns.json().detail).toContain('shop')
    const wildcard = { names: ['*.shop.example'] }
    expect((await change(service, wildcard)).statusCode).toBe(200)
    // What is not changed is looked at as well.
    expect((await change(service, { challenge: { type: 'http-01' } })).json()).toMatchObject({
      ...{ status: 422, code: 'managed_certificate_invalid' },
      errors: [{ pointer: '/names/0', code: 'wildcard_needs_dns' }],
    })
  })

  test.each([
    [{ names: [] }, 400, '/names'],
    [{ names: Array.from({ length: 101 }, (_, at) => `a${at}.example`) }, 400, '/names'],
    [{ names: ['a.example', 'A.example'] }, 422, '/names/1'],
    [{ authorities: [] }, 400, '/authorities'],
    [{ authorities: [{ name: 'none' }] }, 422, '/authorities/0/name'],
    [{ challenge: { type: 'dns-01' } }, 400, '/challenge/webhook'],
    [{ challenge: { type: 'dns-01', webhook: 'none' } }, 422, '/challenge/webhook'],
    [{ challenge: { type: 'http-01', webhook: 'dns' } }, 400, '/challenge/webhook'],
    [{ keyType: 'dsa' }, 400, '/keyType'],
    [{ name: 'A' }, 400, '/name'],
  ])('with %j is refused, and says where', async (part, status, pointer) => {
    const { service } = await farm()
    const refused = (await make(service, part)).json()
    expect(refused.status).toBe(status)
    expect(refused.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer)
    expect((await get(service.admin, '')).items).toEqual([])
  })

  test('is there once, and each action on none says so', async () => {
    const { service } = await farm()
    await make(service)
    expect((await make(service)).json().code).toBe('managed_certificate_exists')
    for (const action of ['order-now', 'pause', 'resume', 'cancel']) {
      const answer = await act(service, action, 'none')
      expect([answer.statusCode, answer.json().code]).toEqual([
        404,
        'managed_certificate_not_found',
      ])
    }
    expect((await get(service.admin, '/none/orders')).code).toBe('managed_certificate_not_found')
  })

  test('is found by name, by host and by state, page by page', async () => {
    const { service } = await farm({ isAway: true })
    await upload(service)
    await make(service)
    for (const name of ['a', 'b', 'c']) await make(service, { name, names: [`${name}.example`] })
    await act(service, 'pause')
    await service.acme.look()
    const names = async (query: string) =>
      (await get(service.admin, query)).items.map(({ name }: { name: string }) => name)
    expect(await names('?q=SHOP')).toEqual(['shop'])
    expect(await names('?q=b.exam')).toEqual(['b'])
    expect(await names('?state=paused')).toEqual(['shop'])
    await expect.poll(() => names('?state=ordering')).toContain('a')
    const first = await get(service.admin, '?limit=2')
    expect(first.items).toHaveLength(2)
    expect(await names(`?limit=2&cursor=${first.nextCursor}`)).toEqual(['c', 'shop'])
  })
})

test('who may see some nodes is not told the names of others that an order waits for', async () => {
  const { service } = await farm({ isAway: true })
  const { db, write } = service.services
  await make(service)
  await until(service).is({ state: 'ordering' })
  const viewer = await service.as('viewer')
  await db
    .updateTable('users')
    .set({ scope: 'zone=eu' })
    .where('username', '=', 'test-viewer')
    .execute()
  const ids = ['a', 'b', 'c'].map((letter) => `node_${letter.repeat(26)}`)
  await write(async ({ trx }) => {
    for (const [at, zone] of ['eu', 'us'].entries()) {
      await insertNode(trx, {
        ...{ id: ids[at] ?? '', name: `edge-${zone}`, labels: JSON.stringify({ zone }) },
        ...{ merge_patch: '{}', forget_after_hours: null, enrolled_with: null, enrolled_at_ms: 1 },
        ...{ hostname: 'h', version: '1', os: 'linux', arch: 'x64' },
      })
    }
  })
  const waiting_for = JSON.stringify({ reason: 'They do not answer yet', nodeIds: ids, more: 7 })
  await db.updateTable('certificate_orders').set({ waiting_for }).execute()
  const eu = { id: ids[0], name: 'edge-eu' }
  const us = { id: ids[1], name: 'edge-us' }
  expect((await get(service.admin)).order.waitingFor).toEqual({
    ...{ reason: 'They do not answer yet', nodes: expect.arrayContaining([eu, us]), more: 8 },
  })
  const seen = { reason: 'They do not answer yet', nodes: [eu], more: 9 }
  expect((await get(viewer)).order.waitingFor).toEqual(seen)
  expect((await get(viewer, '')).items[0].order.waitingFor).toEqual(seen)
  expect((await get(viewer, '/shop/orders')).items[0].waitingFor).toEqual(seen)
})

test('before hosts are ordered, it is said which configs name them and how many nodes serve them', async () => {
  const service = await build()
  const { admin } = service
  const text = JSON.stringify({
    listen: [{ port: 8080 }],
    sites: [{ hosts: ['shop.example', '*.eu.example'], root: '/srv/www' }],
  })
  const saved = await admin.inject({
    ...{ method: 'POST', url: '/api/v1/configs/main/versions' },
    payload: { text, message: 'Two hosts', parent: null },
  })
  expect(saved.statusCode, saved.body).toBe(201)
  const names = ['shop.example', 'www.eu.example', 'eu.example', 'www.shop.example']
  const looked = await admin.inject({ method: 'POST', url: `${url}/preflight`, payload: { names } })
  expect(looked.json()).toEqual({
    items: [
      { host: 'shop.example', nodes: 0, configs: ['main'] },
      { host: 'www.eu.example', nodes: 0, configs: ['main'] },
      { host: 'eu.example', nodes: 0, configs: [] },
      { host: 'www.shop.example', nodes: 0, configs: [] },
    ],
  })
})
