// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Built, build } from '../../helper.ts'

const url = '/api/v1/dns-webhooks'
const make = ({ admin }: Built, payload: object) => admin.inject({ method: 'POST', url, payload })
const change = ({ admin }: Built, name: string, payload: object, etag: string) =>
  admin.inject({
    ...{ method: 'PATCH', url: `${url}/${name}`, payload },
    headers: { 'if-match': etag },
  })
const remove = ({ admin }: Built, name: string, etag = '*') =>
  admin.inject({ method: 'DELETE', url: `${url}/${name}`, headers: { 'if-match': etag } })
const rotate = ({ admin }: Built, name: string) =>
  admin.inject({ method: 'POST', url: `${url}/${name}/actions/rotate-secret` })

test('a DNS webhook’s secret is shown once, sealed at rest, and told by no event', async () => {
  const service = await build()
  const operator = await service.as('operator')
  const payload = { name: 'dns', url: 'https://dns.example.org/challenges' }
  const made = await operator.inject({ method: 'POST', url, payload })
  expect(made.statusCode, made.body).toBe(201)
  expect(made.headers.location).toBe(`${url}/dns`)
  const { secret, ...shown } = made.json()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(shown).toMatchObject({ ...payload, lastError: null, createdBy: 'test-operator' })
  const next = (await rotate(service, 'dns')).json().secret
  expect(next).not.toBe(secret)
  const viewer = await service.as('viewer')
  const listed = await viewer.inject({ url })
  expect(listed.json().items).toEqual([shown])
  expect((await viewer.inject({ method: 'POST', url, payload })).statusCode).toBe(403)
  const { db } = service.services
  const kept = JSON.stringify([
    (await sql`select * from events`.execute(db)).rows,
    (await sql`select * from dns_webhooks`.execute(db)).rows,
    (await sql`select * from idempotency_keys`.execute(db)).rows,
  ])
  for (const one of [secret, next]) expect(kept).not.toContain(one.slice('whsec_'.length))
  const { items } = (await service.admin.inject({ url: '/api/v1/audit?kind=dns-webhook' })).json()
  expect(items.map(({ action }: { action: string }) => action)).toEqual([
    'secret-rotated',
    'created',
  ])
})

test('it is changed and removed by who has seen it', async () => {
  const service = await build()
  const made = await make(service, { name: 'dns', url: 'https://one.example.org/' })
  const to = { url: 'https://two.example.org/' }
  expect((await change(service, 'dns', to, '"7"')).statusCode).toBe(412)
  const changed = await change(service, 'dns', to, String(made.headers.etag))
  expect([changed.statusCode, changed.json().url]).toEqual([200, to.url])
  expect((await remove(service, 'dns', String(made.headers.etag))).statusCode).toBe(412)
  expect((await remove(service, 'dns', String(changed.headers.etag))).statusCode).toBe(204)
  for (const answer of [
    await service.admin.inject({ url: `${url}/dns` }),
    await change(service, 'dns', to, '*'),
    await remove(service, 'dns'),
    await rotate(service, 'dns'),
  ]) {
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'dns_webhook_not_found'])
  }
})

test.each([
  ['http://ana:secret@dns.example.org/', 422, 'url_refused'],
  ['https://', 422, 'url_refused'],
  ['http://127.0.0.1:8080/', 422, 'address_refused'],
  ['http://169.254.169.254/latest', 422, 'address_refused'],
  ['ftp://dns.example.org/', 400, 'invalid_request'],
])('%s is no address for one', async (to, status, code) => {
  const service = await build()
  const refused = await make(service, { name: 'dns', url: to })
  expect([refused.statusCode, refused.json().code]).toEqual([status, code])
  await make(service, { name: 'dns', url: 'https://dns.example.org/' })
  const changed = await change(service, 'dns', { url: to }, '*')
  expect([changed.statusCode, changed.json().code]).toEqual([status, code])
})

test('a name is taken once, and there are fifty', async () => {
  const service = await build()
  for (let at = 1; at <= 50; at++) {
    expect((await make(service, { name: `d${at}`, url: 'https://a.example/' })).statusCode).toBe(
      201,
    )
  }
  const twice = await make(service, { name: 'd1', url: 'https://a.example/' })
  expect([twice.statusCode, twice.json().code]).toEqual([409, 'dns_webhook_exists'])
  const more = await make(service, { name: 'd51', url: 'https://a.example/' })
  expect([more.statusCode, more.json().code]).toEqual([409, 'too_many_dns_webhooks'])
})
