// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newestEventId } from '../../../src/audit/event-store.ts'
import { auditPage, LOOKED_AT } from '../../../src/features/audit/store.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { tamper } from '../../audit/tamper.ts'
import { watchTurns } from '../../bench/turns.ts'
import { type Built, build } from '../../helper.ts'
import { isOnPostgres } from '../../postgres.ts'

type Entry = {
  id: number
  kind: string
  object: string
  objectName: string | null
  action: string
  actor: string | null
  actorName: string | null
}

const url = '/api/v1/audit'
const list = async ({ admin }: Built, query: Record<string, string> = {}) => {
  const response = await admin.inject({ url, query })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ items: Entry[]; nextCursor: string | null }>()
}
const detail = async ({ admin }: Built, id: number | undefined) =>
  (await admin.inject({ url: `${url}/${id}` })).json()
const makeToken = ({ admin }: Built) =>
  admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload: {} })
const emit = (service: Built, id: string, data: Record<string, unknown> = {}, action = 'changed') =>
  service.services.write((unit) => unit.emit({ kind: 'node', id, action, data }))

describe('GET /audit', () => {
  test('is for who oversees', async () => {
    const service = await build()
    const statuses = ['viewer', 'auditor', 'admin'] as const
    const got = await Promise.all(
      statuses.map(async (role) => (await (await service.as(role)).inject({ url })).statusCode),
    )
    expect(got).toEqual([403, 200, 200])
  })

  test('tells a person’s change with who, from where, by which request, before and after', async () => {
    const service = await build()
    const node = await enrolNode(service)
    const shown = await service.admin.inject({ url: `/api/v1/nodes/${node.id}` })
    const changed = await service.admin.inject({
      method: 'PATCH',
      url: `/api/v1/nodes/${node.id}`,
      headers: { 'if-match': String(shown.headers.etag) },
      remoteAddress: '192.0.2.7',
      payload: { labels: { zone: 'north' } },
    })
    const { items } = await list(service, { object: node.id, action: 'changed' })
    expect(items).toEqual([
      expect.objectContaining({
        ...{ kind: 'node', actor: 'test-admin', by: 'people', via: 'session', tokenId: null },
        requestId: changed.headers['x-request-id'],
        address: '192.0.2.7',
      }),
    ])
    expect((await detail(service, items[0]?.id)).data).toEqual({
      before: { name: node.name, labels: {} },
      after: { name: node.name, labels: { zone: 'north' } },
    })
  })

  test('calls a node by its name, as long as it has one', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    await emit(service, 'node_01hv00000000000000000000zz')
    const { items } = await list(service, { kind: 'node' })
    const names = items.map(({ object, objectName, actorName }) => [object, objectName, actorName])
    expect(names).toContainEqual([node.id, node.name, node.name])
    expect(names).toContainEqual(['node_01hv00000000000000000000zz', null, null])
    const hello = items.find(({ action }) => action === 'hello')
    expect(await detail(service, hello?.id)).toMatchObject({ objectName: node.name })
  })

  test('tells people, nodes and the service apart', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const actions = async (by: string) => (await list(service, { by })).items
    expect((await actions('people')).map(({ action }) => action)).toContain(
      'enrolment-token-created',
    )
    expect(await actions('nodes')).toContainEqual(
      expect.objectContaining({ action: 'hello', actor: node.id, via: 'agent' }),
    )
    expect(await actions('service')).toContainEqual(
      expect.objectContaining({ action: 'enrolled', actor: null, requestId: expect.any(String) }),
    )
  })

  test('is narrowed by every filter, and by what stands in the details', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const service = await build({ now: () => now })
    await emit(service, 'a', { note: '100%_sure ÄRGER' })
    now += 60_000
    await emit(service, 'b', { note: '1000 sure' }, 'hello')
    const objects = async (query: Record<string, string>) =>
      (await list(service, { kind: 'node', ...query })).items.map(({ object }) => object)
    expect(await objects({})).toEqual(['b', 'a'])
    expect(await objects({ object: 'a' })).toEqual(['a'])
    expect(await objects({ action: 'hello' })).toEqual(['b'])
    expect(await objects({ without: 'hello' })).toEqual(['a'])
    expect(await objects({ actor: 'nobody' })).toEqual([])
    expect(await objects({ q: '0%_SURE' })).toEqual(['a'])
    expect(await objects({ q: 'ÄRger' })).toEqual(['a'])
    expect(await objects({ from: '2026-01-01T00:01:00Z' })).toEqual(['b'])
    expect(await objects({ to: '2026-01-01T00:01:00Z' })).toEqual(['a'])
  })

  test('goes page by page through each once', async () => {
    const service = await build()
    for (const id of ['a', 'b', 'c', 'd', 'e']) await emit(service, id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await list(service, { kind: 'node', limit: '2', ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ object }) => object))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  test('looks at no more rows than it may, and says where to go on', async () => {
    const service = await build()
    for (const id of ['rare', 'x', 'y', 'z']) await emit(service, id, { note: id })
    const filter = { kind: 'node', q: 'rare' }
    const step = (after: Parameters<typeof auditPage>[2]['after']) =>
      auditPage(service.services.db, filter, { after, limit: 10, lookAt: 3 })
    const first = await step(null)
    expect(first.rows).toEqual([])
    const second = await step(first.next)
    expect(second.rows.map((row) => row.object_id)).toEqual(['rare'])
    expect(second.next).toBeNull()
  })

  test.skipIf(isOnPostgres)('walks an index for every filter, without sorting', async () => {
    const service = await build()
    const sqlite = new Sqlite(join(service.config.dataDir, 'control.db'), { readonly: true })
    onTestFinished(() => {
      sqlite.close()
    })
    for (const column of ['object_id', 'actor', 'action', 'kind', 'by_whom']) {
      const plan = sqlite
        .prepare(
          `explain query plan select id from events where ${column} = ? and at_ms >= ? and (at_ms, id) < (?, ?) order by at_ms desc, id desc limit ${LOOKED_AT}`,
        )
        .all('x', 0, 1, 1)
        .map((step) => (step as { detail: string }).detail)
      expect(plan).toEqual([expect.stringContaining(`INDEX events_by_${column}_at_ms`)])
    }
  })

  test('an entry that is not there is 404', async () => {
    const service = await build()
    expect((await service.admin.inject({ url: `${url}/999999` })).json()).toMatchObject({
      status: 404,
      code: 'audit_entry_not_found',
    })
  })
})

describe('the details', () => {
  test('of no route hold a secret', async () => {
    const service = await build()
    const secret = (await makeToken(service)).json<{ secret: string }>().secret
    const { body } = await service.admin.inject({ url: `${url}/export` })
    expect(body).toContain('enrolment-token-created')
    expect(body).not.toContain(secret)
    expect(body).not.toMatch(/password_hash|\$argon2/)
  })

  test('that are no well-formed text are kept with a sign in its place', async () => {
    const service = await build()
    const id = await emit(service, 'half \ud800', { '\udfff': '\ud83d' })
    expect(await detail(service, id)).toMatchObject({
      object: 'half \ufffd',
      data: { '\ufffd': '\ufffd' },
    })
    expect(await verified(service)).toMatchObject({ state: 'whole' })
  })
})

async function verified({ admin }: Built) {
  const verification = `${url}/verification`
  const started = await admin.inject({ method: 'POST', url: verification })
  expect(started.statusCode).toBe(202)
  await expect
    .poll(async () => (await admin.inject({ url: verification })).json().state)
    .not.toBe('running')
  return (await admin.inject({ url: verification })).json()
}

describe('the chain', () => {
  test('is verified, and its head is the newest entry’s hash', async () => {
    const service = await build()
    const { admin } = service
    expect((await admin.inject({ url: `${url}/verification` })).json().state).toBe('never')
    const last = await emit(service, 'x')
    const { hash } = await detail(service, last)
    expect(await verified(service)).toMatchObject({
      ...{ state: 'whole', rows: last, headId: last, head: hash, brokenAt: null },
    })
  })

  test.each([
    ['changed', `update events set actor = 'mallory' where id = 3`, 3, /not as its hash says/],
    ['changed in its details', `update events set data = '{}' where id = 3`, 3, /not as its hash/],
    ['made unreadable', `update events set data = '{' where id = 3`, 3, /not readable/],
    ['removed', `delete from events where id = 3`, 4, /row 3 is missing/],
    [
      'swapped with its neighbour',
      `update events set id = 9 where id = 3; update events set id = 3 where id = 4; update events set id = 4 where id = 9`,
      3,
      /stands where another row was/,
    ],
    [
      'given a hash that fits it alone',
      `update events set actor = 'mallory', hash = '${'0'.repeat(64)}' where id = 3`,
      3,
      /not as its hash says/,
    ],
  ])('shows that a row was %s', async (_what, statement, brokenAt, reason) => {
    const service = await build()
    for (const id of ['1', '2', '3', '4', '5']) await emit(service, id, { note: id })
    await tamper(service.services.db, statement)
    const { state, rows, ...found } = await verified(service)
    expect([state, rows, found.brokenAt]).toEqual(['broken', 2, brokenAt])
    expect(found.reason).toMatch(reason)
  })

  test('takes no row out of turn, whoever inserts', async () => {
    const service = await build()
    await emit(service, 'x')
    const replacing = sql.raw(isOnPostgres ? 'insert' : 'insert or replace')
    const insert = (id: number, hash: string) =>
      sql`${replacing} into events (id, at_ms, kind, object_id, action, data, hash)
        values (${id}, 0, 'node', 'x', 'y', '{}', ${hash})`.execute(service.services.db)
    const hash = 'a'.repeat(64)
    for (const id of [1, 9]) await expect(insert(id, hash)).rejects.toThrow(/append-only/)
    await expect(insert(2, '')).rejects.toThrow(/append-only/)
  })
})

describe('GET /audit/export', () => {
  test.skipIf(isOnPostgres)(
    'reads a little between two turns of the loop, also when it finds nothing to say',
    async () => {
      const service = await build()
      const { db } = service.services
      const newest = await newestEventId(db)
      await sql`with recursive number (i) as (select 1 union all select i + 1 from number where i < 5000)
      insert into events (id, at_ms, kind, object_id, action, data, hash)
      select ${newest} + i, 1, 'node', 'a', 'hello', '{}', ${'0'.repeat(64)} from number`.execute(
        db,
      )
      const stop = watchTurns(service.config.dataDir)
      const { body } = await service.admin.inject({ url: `${url}/export?q=nobody-said-this` })
      const { statements, mostStatements } = stop()
      expect(body).toBe('')
      expect(statements).toBeGreaterThan(25)
      expect(mostStatements).toBeLessThan(10)
    },
  )

  test('gives every entry as a line whose hash anybody can compute', async () => {
    const service = await build()
    for (const id of ['a', 'b', 'c']) await emit(service, id, { note: 'ä' })
    const response = await service.admin.inject({ url: `${url}/export` })
    expect(response.headers['content-type']).toMatch(/^application\/x-ndjson/)
    expect(response.headers['content-disposition']).toMatch(/audit\.ndjson/)
    const lines = response.body.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).action)[0]).toBe('signed-in')
    expect(lines).toHaveLength(4)
    let previous = createHash('sha256')
      .update(`farmstead-audit:${service.services.controlPlaneId}`)
      .digest('hex')
    for (const line of lines) {
      const { hash, ...record } = JSON.parse(line)
      expect(record.previousHash).toBe(previous)
      const canonical = canonicalize(record) ?? ''
      expect(createHash('sha256').update(canonical).digest('hex')).toBe(hash)
      previous = hash
    }
  })

  test('takes the filters of the list', async () => {
    const service = await build()
    for (const id of ['a', 'b', 'a']) await emit(service, id)
    const { body } = await service.admin.inject({ url: `${url}/export?object=a` })
    expect(body.trimEnd().split('\n')).toHaveLength(2)
  })

  test('makes no formula of what somebody called a thing', async () => {
    const service = await build()
    await emit(service, '=HYPERLINK("http://evil")', { note: 'a "quoted" word' })
    const { headers, body } = await service.admin.inject({
      url: `${url}/export?format=csv&kind=node`,
    })
    expect(headers['content-type']).toMatch(/^text\/csv/)
    const [head, row] = body.split('\r\n')
    expect(head).toMatch(/^"id","at","kind","object"/)
    expect(row).toContain(`"'=HYPERLINK(""http://evil"")"`)
    expect(row).toContain(`"{""note"":""a \\""quoted\\"" word""}"`)
  })

  test('is read as it is taken, not held', async () => {
    const service = await build()
    // More than one slice, so that the pieces must fit together.
    await service.services.write(async (unit) => {
      for (let i = 0; i < 450; i += 1) {
        await unit.emit({ kind: 'node', id: `n${i}`, action: 'changed' })
      }
    })
    const { body } = await service.admin.inject({ url: `${url}/export?kind=node` })
    const objects = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).object)
    expect(objects).toEqual(Array.from({ length: 450 }, (_, i) => `n${i}`))
  })
})
