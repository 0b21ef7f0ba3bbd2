// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { openSecretBox } from '../../../src/base/secret-box.ts'
import { openVersion } from '../../../src/certificates/keep.ts'
import { make, makeChain } from '../../certificates/make.ts'
import { type Built, build, type Client, shared, withToken } from '../../helper.ts'

const url = '/api/v1/certificates'

/** For what is refused: it has none. */
const sharedService = shared()
const DAY_MS = 24 * 3600_000
type Pair = { chain: string; key: string }

const upload = (client: Client, name: string, { chain, key }: Pair, query = {}) =>
  client.inject({ method: 'POST', url, query, payload: { name, chain, key } })
const renew = (client: Client, name: string, { chain, key }: Pair, etag: string | undefined) =>
  client.inject({
    method: 'POST',
    url: `${url}/${name}/versions`,
    headers: { 'if-match': etag },
    payload: { chain, key },
  })
const get = async ({ admin }: Pick<Built, 'admin'>, path: string) =>
  (await admin.inject({ url: `${url}${path}` })).json()
const etagOf = async ({ admin }: Built, name: string) =>
  String((await admin.inject({ url: `${url}/${name}` })).headers.etag)
const audited = async ({ admin }: Built) => {
  const { items } = (await admin.inject({ url: '/api/v1/audit?kind=certificate' })).json()
  return items.map(
    ({ object, action }: { object: string; action: string }) => `${object} ${action}`,
  )
}

describe('a certificate', () => {
  test('is kept with versions, each with what one wants to know of it', async () => {
    const service = await build()
    const first = await makeChain(['shop.example', '*.shop.example'])
    const made = await upload(service.admin, 'shop', first)
    expect(made.statusCode, made.body).toBe(201)
    expect(made.headers.location).toBe(`${url}/shop`)
    expect(made.json()).toMatchObject({
      ...{ name: 'shop', state: 'good', daysLeft: 89, createdBy: 'test-admin' },
      latestVersion: {
        ...{ number: 1, names: ['shop.example', '*.shop.example'], source: 'upload' },
        ...{ issuer: 'CN=test intermediate', keyKind: 'EC P-256', chainLength: 2 },
        warnings: [{ code: 'missing_intermediate' }],
      },
    })
    const second = await makeChain(['shop.example'])
    const renewed = await renew(service.admin, 'shop', second, String(made.headers.etag))
    expect(renewed.statusCode, renewed.body).toBe(201)
    expect(renewed.json().latestVersion).toMatchObject({ number: 2, names: ['shop.example'] })
    const codes = renewed.json().latestVersion.warnings.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(['missing_intermediate', 'names_lost'])
    const { items } = await get(service, '/shop/versions')
    expect(items.map(({ number }: { number: number }) => number)).toEqual([2, 1])
    expect((await get(service, '/shop/versions/1')).chain).toBe(first.chain)
    expect(await get(service, '/shop/versions/3')).toMatchObject({
      code: 'certificate_version_not_found',
    })
    expect(await audited(service)).toEqual(['shop version-added', 'shop created'])
  })

  test('is renewed on top of what one has seen, and the same again is no version', async () => {
    const service = await build()
    const pair = await makeChain(['a.example'])
    await upload(service.admin, 'a', pair)
    const etag = await etagOf(service, 'a')
    expect((await renew(service.admin, 'a', pair, undefined)).statusCode).toBe(428)
    expect((await renew(service.admin, 'a', pair, '"7"')).statusCode).toBe(412)
    const same = await renew(service.admin, 'a', { ...pair, chain: `\n${pair.chain}` }, etag)
    expect([same.statusCode, same.json().latestVersion.number]).toEqual([200, 1])
    const next = await makeChain(['a.example'])
    const both = await Promise.all([1, 2].map(() => renew(service.admin, 'a', next, etag)))
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([201, 412])
    expect(await audited(service)).toEqual(['a version-added', 'a created'])
    expect((await renew(service.admin, 'none', next, '*')).json().code).toBe(
      'certificate_not_found',
    )
  })

  test('is made once with a key of idempotency, and refused under a name that is taken', async () => {
    const service = await build()
    const pair = await makeChain(['a.example'])
    const once = () =>
      service.admin.inject({
        method: 'POST',
        url,
        headers: { 'idempotency-key': 'k1' },
        payload: { name: 'a', chain: pair.chain, key: pair.key },
      })
    const [first, second] = [await once(), await once()]
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.headers['idempotent-replay']).toBe('true')
    expect((await upload(service.admin, 'a', pair)).json().code).toBe('certificate_exists')
    expect((await upload(service.admin, 'a', pair, { dryRun: '1' })).json().code).toBe(
      'certificate_exists',
    )
  })

  test('is looked at without being kept', async () => {
    const service = await build()
    const pair = await makeChain(['a.example'])
    const looked = await upload(service.admin, 'a', pair, { dryRun: '1' })
    expect([looked.statusCode, looked.json().names]).toEqual([200, ['a.example']])
    expect((await get(service, '')).items).toEqual([])
    expect(await audited(service)).toEqual([])
  })

  test('that cannot be served is refused with pointer and line', async () => {
    const { admin } = sharedService()
    const [one, other] = [await makeChain(['a.example']), await makeChain(['a.example'])]
    const refused = await upload(admin, 'a', { chain: one.chain, key: other.key })
    expect(refused.headers['content-type']).toContain('problem+json')
    expect(refused.json()).toMatchObject({
      ...{ status: 422, code: 'certificate_invalid' },
      errors: [{ pointer: '/key', line: 1, code: 'key_mismatch' }],
    })
  })

  test('is deleted, with its keys, by who has seen it', async () => {
    const service = await build()
    await upload(service.admin, 'a', await makeChain(['a.example']))
    const remove = (etag: string) =>
      service.admin.inject({ method: 'DELETE', url: `${url}/a`, headers: { 'if-match': etag } })
    expect((await remove('"9"')).statusCode).toBe(412)
    expect((await remove(await etagOf(service, 'a'))).statusCode).toBe(204)
    const { rows } = await sql`select * from certificate_versions`.execute(service.services.db)
    expect(rows).toEqual([])
    expect(await audited(service)).toEqual(['a removed', 'a created'])
  })
})

describe('names', () => {
  test.each(['../x', 'a/b', '.a', 'a.', 'A', 'a\0b', '', 'x'.repeat(64), 'a b', '..', 'ä', '-a'])(
    '%j is none',
    async (name) => {
      const { admin } = sharedService()
      const refused = await upload(admin, name, { chain: 'x', key: 'x' })
      expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_request' })
    },
  )
})

describe('lists', () => {
  async function tenThousand(service: Built) {
    const end = Date.now() + 5 * DAY_MS
    await sql`insert into certificates (name, revision, latest, not_after_ms, created_at_ms, created_by)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)
      select 'c' || printf('%05d', i), 1, 1, cast(${end} as bigint) + (10001 - i) * 1000, 1, 'ana' from n`.execute(
      service.services.db,
    )
    await sql`insert into certificate_versions
      select name, 1, printf('%064d', row_number() over (order by name)), '', '', '["' || name || '.example"]', '', '', '', 'EC P-256', 1, '[]', 1,
        not_after_ms, 'upload', null, 1, 'ana' from certificates`.execute(service.services.db)
  }

  test('10,000 by pages, by name and by end, each once', async () => {
    const service = await build()
    await tenThousand(service)
    const began = performance.now()
    for (const order of ['name', 'end']) {
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const page = await get(service, `?limit=500&order=${order}${cursor && `&cursor=${cursor}`}`)
        found.push(...page.items.map(({ name }: { name: string }) => name))
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      expect(found).toHaveLength(10_000)
      expect(new Set(found).size).toBe(10_000)
      expect(found[0]).toBe(order === 'name' ? 'c00001' : 'c10000')
    }
    expect(performance.now() - began).toBeLessThan(15_000)
    expect((await get(service, '?q=c00042.ex')).items).toHaveLength(1)
    const pair = await makeChain(['a.example'])
    const over = await upload(service.admin, 'one-more', pair)
    expect(over.json()).toMatchObject({ status: 409, code: 'too_many_certificates' })
    // A cursor is of one order only.
    const { nextCursor } = await get(service, '?limit=1')
    expect(await get(service, `?order=end&cursor=${nextCursor}`)).toMatchObject({
      code: 'invalid_cursor',
    })
  })
})

describe('who may', () => {
  test('read: everybody who is signed in; write: operators and administrators of the whole farm', async () => {
    const service = await build()
    const pair = await makeChain(['a.example'])
    await upload(service.admin, 'a', pair)
    for (const role of ['viewer', 'editor', 'approver', 'auditor'] as const) {
      const client = await service.as(role)
      expect((await client.inject({ url })).statusCode, role).toBe(200)
      expect((await upload(client, 'b', pair)).statusCode, role).toBe(403)
      expect((await renew(client, 'a', pair, '*')).statusCode, role).toBe(403)
    }
    expect((await service.anonymous.inject({ url })).statusCode).toBe(401)
    const operator = await service.as('operator')
    expect((await upload(operator, 'c', pair)).statusCode).toBe(201)
    await sql`update users set scope = 'zone=eu' where username = 'test-operator'`.execute(
      service.services.db,
    )
    expect((await upload(operator, 'd', pair)).json().code).toBe('whole_farm_required')
    expect((await operator.inject({ url })).json().items).toHaveLength(2)
    const narrow = await withToken(service, service.admin, { permissions: ['configs:read'] })
    expect((await narrow.inject({ url })).statusCode).toBe(403)
  })
})

/** What it would write to the terminal. */
function logOf({ app }: Built): string[] {
  const lines: string[] = []
  const logger: object = app.log
  const symbol = Object.getOwnPropertySymbols(logger).find(
    ({ description }) => description === 'pino.stream',
  )
  const stream = symbol && (logger as Record<symbol, { write(line: string): void }>)[symbol]
  if (!stream) throw new Error('pino keeps its stream elsewhere')
  vi.spyOn(stream, 'write').mockImplementation((line) => {
    lines.push(line)
  })
  return lines
}

describe('the key', () => {
  test('is in no answer, no log, no audit, no export, no idempotency row and no file, and opens for nodes', async () => {
    const service = await build({ config: { logLevel: 'trace' } })
    const lines = logOf(service)
    const pair = await makeChain(['a.example'])
    const other = await makeChain(['a.example'])
    const answers: string[] = []
    const call = async (options: Parameters<Client['inject']>[0]) => {
      answers.push((await service.admin.inject(options)).body)
    }
    const payload = { name: 'a', chain: pair.chain, key: pair.key }
    const headers = { 'idempotency-key': 'k1' }
    await call({ method: 'POST', url, headers, payload })
    await call({ method: 'POST', url, headers, payload })
    await call({ method: 'POST', url, payload })
    await call({ method: 'POST', url, payload: { ...payload, name: 'b', extra: 1 } })
    await call({
      method: 'POST',
      url,
      payload: { ...payload, name: 'b', key: `${pair.key}${other.key}` },
    })
    await call({ method: 'POST', url, payload: { ...payload, name: 'b', chain: pair.key } })
    await call({ method: 'POST', url, payload: { ...payload, name: pair.key } })
    await call({
      method: 'POST',
      url: `${url}/a/versions`,
      headers: { 'if-match': '*' },
      payload: { chain: other.chain, key: other.key },
    })
    for (const path of ['', '/a', '/a/versions', '/a/versions/1', '/a/served'])
      await call({ url: url + path })
    for (const path of ['audit', 'audit/export?format=csv', 'audit/export', 'metrics'])
      await call({ url: `/api/v1/${path}` })
    const { items } = (await service.admin.inject({ url: '/api/v1/audit' })).json()
    for (const { id } of items) await call({ url: `/api/v1/audit/${id}` })
    const files = readdirSync(service.config.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    const everything = [...answers, ...lines, ...files].join('\n')
    expect(everything).toContain('version-added')
    expect(lines.length).toBeGreaterThan(10)
    for (const key of [pair.key, other.key]) {
      for (const line of key.split('\n').slice(1, -2)) expect(everything.includes(line)).toBe(false)
      const der = Buffer.from(key.split('\n').slice(1, -2).join(''), 'base64').toString('latin1')
      expect(everything.includes(der)).toBe(false)
    }
    const box = openSecretBox(service.config.dataDir)
    const opened = await openVersion(service.services.db, box, { name: 'a', number: 1 })
    expect(opened?.key).toBe(pair.key)
    // Put in another's place it does not open.
    await sql`update certificate_versions set key = (select key from certificate_versions where number = 2) where number = 1`.execute(
      service.services.db,
    )
    await expect(openVersion(service.services.db, box, { name: 'a', number: 1 })).rejects.toThrow(
      'cannot be opened',
    )
  })
})

describe('what is too much', () => {
  test('a huge PEM is refused before it is read', async () => {
    const { admin } = await build()
    const { key, leaf } = await makeChain(['a.example'])
    const huge = await upload(admin, 'a', { chain: leaf.pem.repeat(200), key })
    expect(huge.json()).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(huge.body.length).toBeLessThan(2000)
    const larger = await upload(admin, 'a', { chain: 'x'.repeat(1_000_000), key })
    expect(larger.statusCode).toBe(413)
    const many = await upload(admin, 'a', {
      chain: (await make({ names: ['a.example'] })).pem.repeat(100),
      key,
    })
    expect(many.json()).toMatchObject({
      code: 'certificate_invalid',
      errors: [{ code: 'chain_too_long' }],
    })
  })
})
