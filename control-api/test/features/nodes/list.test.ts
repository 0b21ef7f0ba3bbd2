// SPDX-License-Identifier: MIT
// GET /nodes: who is in the list, in which order, on which page. Real rows and a real agent's messages.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../../src/db/open.ts'
import type { Node } from '../../../src/features/nodes/schema.ts'
import { about, assign, enrolNode, OTHER_DIGEST, type TestNode } from '../../agents/node-client.ts'
import { type Built, build, type Client } from '../../helper.ts'
import { isOnPostgres } from '../../postgres.ts'

type Page = { items: Node[]; total: number; nextCursor: string | null }
const list = async (client: Client, query: string): Promise<Page> =>
  (await client.inject({ url: `/api/v1/nodes?${query}` })).json()
const names = async ({ admin }: Built, query: string) =>
  (await list(admin, query)).items.map(({ name }) => name)

/** a runs what it was told, b refused it, c is told something and has not answered, d has never spoken, e is silent. */
async function farm() {
  const service = await build()
  const all: TestNode[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const node = await enrolNode(service, { labels: { rack: name === 'c' ? 'B2' : 'b1' } })
    await sql`update nodes set name = ${name} where id = ${node.id}`.execute(service.services.db)
    if (name !== 'd') await node.hello()
    if (name !== 'd' && name !== 'e') await assign(service, { nodeId: node.id })
    all.push({ ...node, name })
  }
  const [a, b, , , e] = all as [TestNode, TestNode, TestNode, TestNode, TestNode]
  const offer = about(await a.offer())
  for (const kind of ['ack', 'applied', 'confirm'] as const) {
    const path = kind === 'applied' ? 'result' : kind
    expect((await a.say(path, offer[kind])).statusCode, path).toBe(200)
  }
  expect((await b.say('nack', about(await b.offer()).nack)).statusCode).toBe(200)
  service.fleet.cutOff(e.id)
  return { ...service, all }
}

/** n1, n2, …: they joined, and said nothing. */
const addNodes = (service: Built, count: number) =>
  sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, hostname, version, os, arch,
    capabilities, max_epoch, max_generation)
    with recursive number (i) as (select 1 union all select i + 1 from number where i < ${count})
    select 'node_' || printf('%026d', i), 'n' || i, '{}', '{}', 1, 0, '', '', '', '', '[]', 0, 0 from number`.execute(
    service.services.db,
  )

describe('GET /nodes', () => {
  test('finds nodes by state, as they are shown, and by what they do not do', async () => {
    const service = await farm()
    const { items, total } = await list(service.admin, '')
    expect(total).toBe(5)
    const states = new Map(items.map(({ name, sync }) => [name, sync.state]))
    expect(Object.fromEntries(states)).toEqual({
      ...{ a: 'in-sync', b: 'out-of-sync', c: 'applying', d: 'waiting', e: 'unknown' },
    })
    for (const [name, state] of states)
      expect(await names(service, `state=${state}`)).toEqual([name])
    expect(await names(service, 'state=drift')).toEqual([])
    expect(await names(service, 'behind=true')).toEqual(['b', 'c'])
    expect(await names(service, 'refused=true')).toEqual(['b'])
    expect(await names(service, 'refused=false&connected=true')).toEqual(['a', 'c'])
    expect(await names(service, 'config=default&version=1')).toEqual(['a'])
    expect(await names(service, 'version=2')).toEqual([])
    const { nodes } = (await service.admin.inject({ url: '/api/v1/farm/summary' })).json()
    expect(nodes.byState).toEqual({
      ...{ 'in-sync': 1, 'out-of-sync': 1, applying: 1, waiting: 1, unknown: 1, drift: 0 },
    })
  })

  test('finds nodes by words of name, host and labels', async () => {
    const service = await farm()
    expect(await names(service, 'q=RACK%3Db2')).toEqual(['c'])
    expect(await names(service, 'q=edge-1%20rack')).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await names(service, 'q=b1%20nothing')).toEqual([])
  })

  test('is as it was committed last: after each change the next answer has it', async () => {
    const service = await farm()
    const [a, b] = service.all as [TestNode, TestNode]
    expect(await names(service, 'cordoned=true')).toEqual([])
    await service.admin.inject({
      ...{ method: 'PUT', url: `/api/v1/nodes/${a.id}/cordon`, payload: { reason: 'disk' } },
    })
    expect(await names(service, 'cordoned=true')).toEqual(['a'])
    await assign(service, { nodeId: a.id, digest: OTHER_DIGEST, version: 2 })
    expect(await names(service, 'behind=true')).toEqual(['a', 'b', 'c'])
    service.fleet.cutOff(a.id)
    expect(await names(service, 'connected=true')).toEqual(['b', 'c'])
    await service.admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${b.id}/identity` })
    expect(await names(service, 'identity=revoked')).toEqual(['b'])
    await service.admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${b.id}` })
    expect(await names(service, '')).toEqual(['a', 'c', 'd', 'e'])
    const added = await service.admin.inject({
      ...{ method: 'POST', url: '/api/v1/groups' },
      payload: { name: 'racks', selector: 'rack=B2' },
    })
    expect(added.statusCode, added.body).toBe(201)
    expect(await names(service, 'group=racks')).toEqual(['c'])
    expect(await names(service, 'sort=group&order=desc')).toEqual(['c', 'a', 'd', 'e'])
  })

  test('has what another process wrote', async () => {
    const service = await farm()
    expect(await names(service, '')).toHaveLength(5)
    const { db: other } = await openStore(service.config)
    await sql`update nodes set name = 'z' where name = 'a'`.execute(other)
    await other.destroy()
    // PostgreSQL tells of it, SQLite is asked.
    if (isOnPostgres) await expect.poll(() => names(service, 'q=z')).toEqual(['z'])
    else expect(await names(service, 'q=z')).toEqual(['z'])
  })

  test('does not have what was rolled back', async () => {
    const service = await farm()
    expect(await names(service, '')).toHaveLength(5)
    const write = service.services.write(async ({ trx }) => {
      await sql`update nodes set name = 'z' where name = 'a'`.execute(trx)
      throw new Error('no')
    })
    await expect(write).rejects.toThrow('no')
    expect(await names(service, '')).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  const expectPages = async (service: Built, query: string, expected: readonly string[]) => {
    expect(await names(service, query), query).toEqual(expected)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(service.admin, `${query}&limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.total).toBe(expected.length)
      found.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor
    }
    expect(found, query).toEqual(expected)
    expect(await names(service, `${query}&offset=3&limit=2`)).toEqual(expected.slice(3, 5))
    expect(await names(service, `${query}&offset=99`)).toEqual([])
  }

  test('sorts whole or page by page', async () => {
    const service = await farm()
    await expectPages(service, 'sort=name&order=desc', ['e', 'd', 'c', 'b', 'a'])
    await expectPages(service, 'sort=state', ['b', 'e', 'c', 'd', 'a'])
    await expectPages(service, 'sort=state&order=desc', ['a', 'd', 'c', 'e', 'b'])
    await expectPages(service, 'sort=group', ['a', 'b', 'c', 'd', 'e'])
    // Of none anything was measured.
    await expectPages(service, 'sort=p99&order=desc', ['a', 'b', 'c', 'd', 'e'])
  })

  test('sorts by when nodes were heard last; those that never were come last, whichever way', async () => {
    const service = await build()
    await addNodes(service, 5)
    const { db } = service.services
    await sql`update nodes set last_seen_at_ms = nullif(6 - cast(substr(name, 2) as bigint), 3)`.execute(
      db,
    )
    await expectPages(service, 'sort=seen', ['n5', 'n4', 'n2', 'n1', 'n3'])
    await expectPages(service, 'sort=seen&order=desc', ['n1', 'n2', 'n4', 'n5', 'n3'])
  })

  test('goes on after a page though nodes before it come and go', async () => {
    const service = await farm()
    const { nextCursor } = await list(service.admin, 'sort=state&limit=2')
    const [a] = service.all as [TestNode]
    // It was the last of all, and is the first now.
    await assign(service, { nodeId: a.id, digest: OTHER_DIGEST, version: 2 })
    await a.say('nack', about(await a.offer(), OTHER_DIGEST).nack)
    expect(await names(service, `sort=state&limit=9&cursor=${nextCursor}`)).toEqual(['c', 'd'])
  })

  test('keeps to the scope of who asks, whatever is asked', async () => {
    const service = await farm()
    const scoped = await service.as('operator')
    await sql`update users set scope = 'rack=b1' where username = 'test-operator'`.execute(
      service.services.db,
    )
    for (const query of ['', 'sort=state', 'sort=group&order=desc', 'q=edge', 'selector=rack']) {
      const { items, total } = await list(scoped, query)
      expect(items.map(({ name }) => name).sort(), query).toEqual(['a', 'b', 'd', 'e'])
      expect(total, query).toBe(4)
    }
    expect((await list(scoped, 'name=c')).total).toBe(0)
    const summary = await scoped.inject({ url: '/api/v1/farm/summary' })
    expect(summary.json().nodes).toMatchObject({ total: 4, byState: { applying: 0 } })
  })

  test('sorts by what was measured as long as that is little work', async () => {
    const service = await build()
    await addNodes(service, 1001)
    const refused = await service.admin.inject({ url: '/api/v1/nodes?sort=p99' })
    expect(refused.json()).toMatchObject({
      ...{ status: 400, code: 'too_many_to_measure' },
      detail: expect.stringMatching(/"p99".*1001.*at most 1000.*filter.*seen/),
    })
    const narrowed = await service.admin.inject({ url: '/api/v1/nodes?sort=p99&q=n99&limit=5' })
    expect(narrowed.json().items).toHaveLength(5)
  })

  test('refuses what it does not know, and says what it does', async () => {
    const { admin } = await build()
    for (const [query, detail] of [
      ['sort=latency', 'sort: must be one of name, group, state, seen, p50, p99, rate, errors'],
      ['order=up', 'order: must be one of asc, desc'],
      ['state=silent', 'state: must be one of in-sync, applying, out-of-sync, drift, unknown'],
      ['identity=none', 'identity: must be one of good, expired, revoked'],
      ['version=0', 'version: must be >= 1'],
      ['offset=-1', 'offset: must be >= 0'],
      ['behind=maybe', 'behind: must be boolean'],
      ['colour=red', 'colour: is not known here: remove it or check its spelling'],
    ] as const) {
      const problem = (await admin.inject({ url: `/api/v1/nodes?${query}` })).json()
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(problem.detail).toContain(`querystring/${detail}`)
    }
  })

  test('refuses a cursor of another order, and one beside an offset', async () => {
    const service = await farm()
    const { nextCursor } = await list(service.admin, 'sort=state&limit=2')
    const ask = async (query: string) =>
      (await service.admin.inject({ url: `/api/v1/nodes?cursor=${nextCursor}&${query}` })).json()
    expect(await ask('sort=name')).toMatchObject({ status: 400, code: 'invalid_cursor' })
    expect(await ask('sort=state&order=desc')).toMatchObject({ code: 'invalid_cursor' })
    expect(await ask('sort=state&offset=2')).toMatchObject({ code: 'cursor_and_offset' })
    const made = Buffer.from('["nodes by seen asc","x","a"]').toString('base64url')
    const odd = await service.admin.inject({ url: `/api/v1/nodes?sort=seen&cursor=${made}` })
    expect(odd.json()).toMatchObject({ status: 400, code: 'invalid_cursor' })
  })
})
