// SPDX-License-Identifier: MIT
import type { RouteOptions } from 'fastify'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { isSchema } from '../../src/json/json-schema.ts'
import { type Built, build } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'

const VERSIONS = '/api/v1/configs/default/versions'
const TEXT =
  '{ "listen": [{ "address": "127.0.0.1", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }'
const BODY = { text: TEXT, parent: null, message: 'first' }

const save = ({ admin }: Pick<Built, 'admin'>, key: string | undefined, body: object = BODY) =>
  admin.inject({
    method: 'POST',
    url: VERSIONS,
    payload: body,
    headers: { 'idempotency-key': key, 'accept-encoding': 'br' },
  })

const versions = async ({ services }: Built) => {
  const rows = await services.db.selectFrom('config_versions').select('number').execute()
  return rows.length
}

describe('a POST with an Idempotency-Key', () => {
  test('is done once, and its repetition gets the same answer', async () => {
    const service = await build()
    const first = await save(service, 'key-1')
    expect(first.statusCode).toBe(201)
    expect(first.headers).not.toHaveProperty('idempotent-replay')
    const second = await save(service, 'key-1')
    expect(second.statusCode).toBe(201)
    expect(second.headers).toMatchObject({
      'idempotent-replay': 'true',
      location: first.headers.location,
      'content-type': first.headers['content-type'],
    })
    expect(second.json()).toEqual(first.json())
    expect(await versions(service)).toBe(1)
  })

  test('with another body is refused, and with another key it is another request', async () => {
    const service = await build()
    await save(service, 'key-1')
    const other = await save(service, 'key-1', { ...BODY, message: 'other' })
    expect(other.json()).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    const changed = await save(service, 'key-2', { ...BODY, text: TEXT.replace('8080', '8081') })
    expect(changed.json()).toMatchObject({ code: 'parent_not_latest' })
  })

  test('that was refused may be sent again, mended', async () => {
    const service = await build()
    const wrong = await save(service, 'key-1', { ...BODY, text: '{}' })
    expect(wrong.json()).toMatchObject({ status: 422, code: 'config_invalid' })
    expect((await save(service, 'key-1')).statusCode).toBe(201)
  })

  test('that holds no key, or an odd one, is refused', async () => {
    const service = await build()
    for (const key of ['', 'with space', 'x'.repeat(129)]) {
      expect((await save(service, key)).json()).toMatchObject({ status: 400 })
    }
  })

  test('sent twice at once is done once', async () => {
    const service = await build()
    const answers = await Promise.all([save(service, 'key-1'), save(service, 'key-1')])
    const codes = answers.map((answer) => answer.json().code ?? answer.statusCode)
    expect(codes).toContain(201)
    expect([201, 'still_running']).toEqual(expect.arrayContaining(codes))
    expect(await versions(service)).toBe(1)
  })

  test('whose answer holds a secret is done once, and the secret is kept nowhere', async () => {
    const service = await build()
    const make = () =>
      service.admin.inject({
        method: 'POST',
        url: '/api/v1/enrolment-tokens',
        payload: {},
        headers: { 'idempotency-key': 'key-1' },
      })
    const { secret } = (await make()).json()
    expect((await make()).json()).toMatchObject({ status: 409, code: 'already_done' })
    const kept = await service.services.db.selectFrom('idempotency_keys').selectAll().execute()
    expect(kept).toMatchObject([{ outcome: 'done', answer: null }])
    expect(JSON.stringify(kept)).not.toContain(secret)
  })

  test.skipIf(isOnPostgres)('on a full disk changes nothing, and the key is free', async () => {
    const service = await build()
    await sql.raw('pragma query_only = on').execute(service.services.db)
    expect((await save(service, 'key-1')).statusCode).toBeGreaterThanOrEqual(500)
    await sql.raw('pragma query_only = off').execute(service.services.db)
    expect((await save(service, 'key-1')).statusCode).toBe(201)
  })
})

/** Members that are secrets wherever they stand in an answer. */
const SECRET = new Set(['secret', 'password', 'token', 'recoveryCodes'])

test('a route that answers with a secret says so', async () => {
  const forgotten: string[] = []
  const known: string[] = []
  await build({
    onRoute: ({ method, url, schema, config }: RouteOptions) => {
      if (method !== 'POST' || config?.permission === 'public') return
      const { 200: ok, 201: created } = (schema?.response ?? {}) as Record<string, unknown>
      if (!namesSecret([ok, created])) return
      if (config?.secretAnswer) known.push(url)
      else forgotten.push(`${method} ${url}: config.secretAnswer`)
    },
  })
  expect(forgotten).toEqual([])
  expect(known).toContain('/api/v1/enrolment-tokens')
})

function namesSecret(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(namesSecret)
  if (!isSchema(schema)) return false
  const { properties } = schema
  const names = isSchema(properties) ? Object.entries(properties) : []
  const isSecret = ([name, part]: [string, unknown]) =>
    SECRET.has(name) && isSchema(part) && part.type === 'string'
  return names.some(isSecret) || Object.values(schema).some(namesSecret)
}
