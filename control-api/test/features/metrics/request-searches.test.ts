// SPDX-License-Identifier: MIT
// Searching among requests: who may, of which nodes, and what is shown of what they send.
import { describe, expect, it, test } from 'vitest'
import type { RequestFound } from '../../../src/agent-protocol/messages.gen.ts'
import { filterOf, someOfAll } from '../../../src/features/metrics/request-search-rules.ts'
import type { StartSearch } from '../../../src/features/metrics/request-search-schema.ts'
import type { Client } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { at, farm, NOW } from './farm.ts'

const PATIENT = { timeout: 30_000, interval: 20 }
const url = '/api/v1/request-searches'

async function searchable(labels: Record<string, Record<string, string>>) {
  const service = await farm(labels)
  for (const node of service.nodes) {
    node.capabilities = ['confirm', 'samples', 'requestSearch']
    await node.hello()
  }
  const begin = (who: Client, payload: StartSearch = {}) =>
    who.inject({ method: 'POST', url, payload })
  const ask = async (who: Client, id: string, query = '') =>
    (await who.inject({ url: `${url}/${id}${query}` })).json()
  const [node] = service.nodes
  if (!node) throw new Error('there is no node')
  return { ...service, node, begin, ask }
}
const found = (path: string, rest: Partial<RequestFound> = {}): RequestFound => ({
  ...{ startedUs: 1_000_000, generation: 1, status: 404, bytes: 320, protocol: 'HTTP/1.1' },
  ...{ reason: null, path, host: 'example.org', method: 'GET', stageSeconds: { total: 0.02 } },
  ...rest,
})

test('it needs the permission to see paths, and one of its own for who asked', async () => {
  const { anonymous, admin, as, begin } = await searchable({ 'edge-1': {} })
  const operator = await as('operator')
  expect((await begin(anonymous)).statusCode).toBe(401)
  expect((await begin(await as('viewer'))).statusCode).toBe(403)
  expect((await begin(operator)).statusCode).toBe(201)
  for (const payload of [{ tellsClients: true }, { client: '192.0.2.1' }]) {
    const refused = await begin(operator, payload)
    expect(refused.statusCode).toBe(403)
    expect(refused.json().detail).toContain('requests:clients')
    expect((await begin(admin, payload)).statusCode).toBe(201)
  }
})

test('nodes are told the filter, and what they find is shown to who asked, with how much there was', async () => {
  const { admin, as, begin, ask, node } = await searchable({ 'edge-1': {} })
  const made = await begin(admin, {
    ...{ site: 'Example.org', pathPrefix: '/p', statusFrom: 404, method: 'GET' },
    ...{ client: '192.0.2.0/24', tellsClients: true, slowerThanMs: 5, bytesFrom: 1, seconds: 30 },
  })
  expect(made.statusCode).toBe(201)
  const { id } = made.json()
  expect(made.headers.location).toBe(`${url}/${id}`)
  expect(made.json()).toMatchObject({
    state: 'searching',
    nodes: { selected: 1, connected: 1, searched: 1, tooOld: 0, busy: 0, live: 0 },
    requests: [],
    startedAt: at(NOW),
  })
  await expect.poll(() => node.searches, PATIENT).toHaveLength(1)
  expect(node.searches[0]).toMatchObject({
    ...{ id, most: 50, tellsClients: true },
    filter: {
      ...{ site: 'example.org', pathPrefix: '/p', statusFrom: 404, statusTo: 404, method: 'GET' },
      ...{ client: '192.0.2.0/24', slowerThanMs: 5, bytesFrom: 1 },
    },
  })
  const requests = [found('/p/1', { client: '192.0.2.7' }), found('/p/2', { client: '192.0.2.8' })]
  const searches = [{ id, seen: 900, matched: 40, requests }]
  await node.sendSamples([], { uptimeUs: 2_000_000, searches })
  const answer = await ask(admin, id)
  expect(answer).toMatchObject({
    ...{ seen: 900, matched: 40, received: 2, skipped: 0, nodes: { live: 1 } },
    requests: [
      {
        ...{ nodeName: 'edge-1', host: 'example.org', method: 'GET', client: '192.0.2.7' },
        ...{ path: '/p/1', status: 404, startedAt: at(NOW - 1000).replace('Z', '000Z') },
      },
      { path: '/p/2', client: '192.0.2.8' },
    ],
    topPaths: [
      { path: '/p/1', requests: 20, overcountAtMost: 0 },
      { path: '/p/2', requests: 20 },
    ],
    topClients: [{ client: '192.0.2.7', requests: 20 }, { client: '192.0.2.8' }],
    times: { sampled: 2, p50Seconds: null, p99Seconds: null },
  })
  expect(await ask(admin, id, `?after=${answer.next}`)).toMatchObject({ requests: [], skipped: 0 })
  expect(await ask(admin, id, '?limit=1')).toMatchObject({
    requests: [{ path: '/p/2' }],
    skipped: 1,
  })
  // It is one's own.
  expect(await ask(await as('operator'), id)).toMatchObject({ code: 'search_not_found' })
  expect((await admin.inject({ method: 'DELETE', url: `${url}/${id}` })).statusCode).toBe(204)
  expect(await ask(admin, id)).toMatchObject({ state: 'ended', leftSeconds: 0, received: 2 })
  await node.sendSamples([])
  expect(node.searches).toEqual([])
})

test('who searched for what is in the audit', async () => {
  const { admin, begin } = await searchable({ 'edge-1': {} })
  await begin(admin, { client: '192.0.2.7', pathPart: 'login' })
  const { items } = (await admin.inject({ url: '/api/v1/audit?limit=10' })).json()
  const entry = items.find(({ action }: { action: string }) => action === 'requests-searched')
  const detail = (await admin.inject({ url: `/api/v1/audit/${entry.id}` })).json()
  expect(detail).toMatchObject({
    actor: 'test-admin',
    data: { client: '192.0.2.7', pathPart: 'login', nodes: 1 },
  })
})

test('whose roles count for a part of the farm searches that part, and reads it while it is theirs', async () => {
  const service = await searchable({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
  const { admin, begin, ask, nodes } = service
  const scoped = await personWith(service, ['operator'], 'zone=eu')
  const made = await begin(scoped)
  expect(made.json()).toMatchObject({ nodes: { selected: 1, searched: 1 } })
  expect((await begin(scoped, { of: 'nodes:zone=us' })).json()).toMatchObject({
    code: 'nothing_to_search',
  })
  expect((await begin(scoped, { of: `node:${nodes[1]?.id}` })).statusCode).toBe(404)
  const { id } = made.json()
  expect(await ask(scoped, id)).toMatchObject({ state: 'searching' })
  const edge = `/api/v1/nodes/${nodes[0]?.id}`
  const { headers } = await admin.inject({ url: edge })
  const moved = await admin.inject({
    method: 'PATCH',
    url: edge,
    headers: { 'if-match': String(headers.etag) },
    payload: { labels: { zone: 'us' } },
  })
  expect(moved.statusCode, moved.body).toBe(200)
  expect(await ask(scoped, id)).toMatchObject({ code: 'search_not_found' })
})

describe('nodes that can’t be searched', () => {
  it('are said, and when there are no others it is why', async () => {
    const service = await farm({ 'edge-1': {} })
    const begin = async (payload: StartSearch) =>
      (await service.admin.inject({ method: 'POST', url, payload })).json()
    expect(await begin({})).toMatchObject({
      code: 'nothing_to_search',
      detail: expect.stringContaining('update them'),
    })
    expect(await begin({ of: 'group:nobody' })).toMatchObject({
      detail: expect.stringContaining('No nodes are in "group:nobody"'),
    })
    expect(await begin({ config: 'nobody' })).toMatchObject({
      detail: expect.stringContaining('No nodes that run nobody'),
    })
    expect(await begin({ of: 'everything' })).toMatchObject({ code: 'unknown_set' })
    await service.nodes[0]?.disconnect()
    await expect
      .poll(async () => (await begin({})).detail, PATIENT)
      .toContain('None of the 1 nodes in "farm" is connected')
  })
})

describe('a filter', () => {
  it('that no node would take is refused, with why', () => {
    const refused: [StartSearch, RegExp][] = [
      [{ pathPrefix: '/a', pathPart: 'b' }, /not both/],
      [{ statusFrom: 500, statusTo: 400 }, /no status is between/],
      [{ client: 'example.org' }, /Say an address/],
      [{ client: '192.0.2.0/33' }, /Say an address/],
      [{ client: '192.0.2.0/24/8' }, /Say an address/],
      [{ client: '192.0.2.0/024' }, /Say an address/],
      [{ client: 'fe80::1%eth0' }, /Say an address/],
      [{ client: '192.0.2.7/24' }, /bits after the first 24/],
      [{ client: '2001:db8::1/32' }, /bits after the first 32/],
      [{ pathPart: 'ä'.repeat(101) }, /200 bytes/],
    ]
    for (const [asked, why] of refused) expect(() => filterOf(asked)).toThrow(why)
  })

  it('says what it says, and a status alone is that status', () => {
    expect(filterOf({})).toEqual({})
    expect(filterOf({ statusTo: 404 })).toEqual({ statusFrom: 404, statusTo: 404 })
    expect(filterOf({ host: 'Example.ORG' })).toEqual({ host: 'example.org' })
    for (const client of [
      '192.0.2.0/24',
      '0.0.0.0/0',
      '2001:db8::/32',
      '::ffff:192.0.2.1',
      '::1',
    ]) {
      expect(filterOf({ client })).toEqual({ client })
    }
  })
})

test('of many nodes each has the same chance to be chosen', () => {
  const all = Array.from({ length: 20 }, (_, i) => i)
  const chosen = new Map<number, number>()
  for (let round = 0; round < 4_000; round++) {
    const some = someOfAll(all, 5)
    expect(new Set(some).size).toBe(5)
    for (const one of some) chosen.set(one, (chosen.get(one) ?? 0) + 1)
  }
  for (const one of all) expect(Math.abs((chosen.get(one) ?? 0) - 1_000)).toBeLessThan(200)
  expect(someOfAll([1, 2], 5).toSorted()).toEqual([1, 2])
})
