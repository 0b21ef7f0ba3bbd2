// SPDX-License-Identifier: MIT
import type { RouteOptions } from 'fastify'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Role } from '../../src/access/roles.ts'
import { isWithin, type Reach, reachOf } from '../../src/access/scope.ts'
import { labelsWithin } from '../../src/db/labels.ts'
import { parseSelector, type Selector } from '../../src/labels/selector.ts'
import { enrolNode } from '../agents/node-client.ts'
import { type Built, build, type Client, shared, withToken } from '../helper.ts'
import { OWN_PASSWORD, personWith } from '../person.ts'

function selector(text: string): Selector {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.selector
}

describe('a scope', () => {
  const service = shared()
  const labels = [{}, { zone: 'eu' }, { zone: 'us' }, { zone: '' }, { zone: 'eu', 'a.b': "o'x" }]
  test.each([
    ['', [1, 1, 1, 1, 1]],
    ['zone', [0, 1, 1, 1, 1]],
    ['!zone', [1, 0, 0, 0, 0]],
    ['zone=eu', [0, 1, 0, 0, 1]],
    ['zone!=eu', [1, 0, 1, 1, 0]],
    ['zone=""', [0, 0, 0, 1, 0]],
    ['zone in (eu, us)', [0, 1, 1, 0, 1]],
    ['zone notin (eu, us)', [1, 0, 0, 1, 0]],
    ['zone=eu,!a.b', [0, 1, 0, 0, 0]],
    [`a.b="o'x"`, [0, 0, 0, 0, 1]],
  ])('"%s" holds for the same nodes in the service and in SQL', async (text, expected) => {
    const scope = selector(text)
    expect(labels.map((one) => Number(isWithin(scope, one)))).toEqual(expected)
    const { db } = service().services
    const asked = labels.map(async (one) => {
      const { rows } = await sql<{ yes: number }>`
        select ${labelsWithin('t.labels', scope)} as yes from (select ${JSON.stringify(one)} as labels) as t
      `.execute(db)
      return rows[0]?.yes
    })
    expect(await Promise.all(asked)).toEqual(expected)
    expect(labels.every((one) => isWithin(null, one))).toBe(true)
  })

  test.each<[string, Parameters<typeof reachOf>[1], Reach | undefined, Reach]>([
    ['/api/v1/nodes/:id', 'nodes:write', undefined, 'node'],
    ['/api/v1/nodes/:id/drift', 'nodes:read', 'none', 'node'],
    ['/api/v1/nodes', 'nodes:read', 'nodes', 'nodes'],
    ['/api/v1/forgotten', 'nodes:read', undefined, 'farm'],
    ['/api/v1/configs/:name', 'configs:read', undefined, 'none'],
    ['/api/v1/configs/:name', 'configs:write', undefined, 'farm'],
    ['/api/v1/users', 'users:read', undefined, 'farm'],
  ])('%s with %s, declared %s, reaches %s', (url, permission, declared, reach) => {
    expect(reachOf(url, permission, declared)).toBe(reach)
  })
})

const withScope = (service: Built, roles: Role[], scope = 'zone=eu') =>
  personWith(service, roles, scope)

/** Reads /events until it ends. */
async function listenTo({ app }: Built, headers: Record<string, string>) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const abort = new AbortController()
  const url = `http://127.0.0.1:${address.port}/api/v1/events`
  const { body } = await fetch(url, { headers, signal: abort.signal })
  let heard = ''
  const read = async () => {
    for await (const chunk of body ?? []) heard += Buffer.from(chunk).toString()
  }
  return { heard: () => heard, ended: read().catch(() => {}), abort: () => abort.abort() }
}

async function relabel(who: Client, nodeId: string): Promise<void> {
  const url = `/api/v1/nodes/${nodeId}`
  const { headers } = await who.inject({ url })
  const changed = await who.inject({
    method: 'PATCH',
    url,
    payload: { labels: { zone: 'eu', heard: 'last' } },
    headers: { 'if-match': String(headers.etag) },
  })
  expect(changed.statusCode).toBe(200)
}

/** Two nodes, one inside the scope, and an operator who has it. */
async function twoZones() {
  const service = await build()
  const inside = await enrolNode(service, { labels: { zone: 'eu' } })
  const outside = await enrolNode(service, { labels: { zone: 'us' } })
  await inside.hello()
  await outside.hello()
  const operator = await withScope(service, ['operator', 'editor', 'approver'])
  const text = '{"listen":[{"port":8080}],"sites":[{"hosts":["*"],"root":"/srv"}]}'
  await service.admin.inject({
    method: 'POST',
    url: '/api/v1/configs/default/versions',
    payload: { text, message: 'First', parent: null },
  })
  return { service, inside, outside, operator }
}

/** What is done to a rollout is done to all its nodes. */
const ACTIONS = ['freeze', 'pause', 'resume', 'revert', 'skip-gate', 'cancel', 'reject', 'approve']

describe('every route', () => {
  /** Those that look at the scope themselves; each has its test below, or with its feature. */
  const LOOKS_ITSELF = [
    'GET /api/v1/advice',
    'GET /api/v1/alerts',
    'GET /api/v1/alerts/:id',
    'POST /api/v1/alerts/:id/actions/acknowledge',
    'GET /api/v1/nodes',
    'GET /api/v1/nodes/cells',
    'POST /api/v1/nodes/actions/change',
    'GET /api/v1/sites',
    'GET /api/v1/sites/:config/:host',
    'GET /api/v1/sites/:config/:host/traffic',
    'GET /api/v1/prometheus/targets',
    'GET /api/v1/releases/:name/nodes',
    'GET /api/v1/releases/:name/versions/:number/look',
    'POST /api/v1/releases/:name/versions/:number/look',
    'GET /api/v1/releases/:name/previews',
    'POST /api/v1/releases/:name/versions/:number/previews',
    'DELETE /api/v1/releases/:name/previews/:id',
    'GET /api/v1/neighbours/now',
    'GET /api/v1/farm/summary',
    'GET /api/v1/certificates/:name/configs',
    'GET /api/v1/certificates/:name/served',
    'POST /api/v1/configs/:name/effect',
    'GET /api/v1/configs/:name/versions',
    'GET /api/v1/configs/:name/versions/:number',
    'GET /api/v1/groups',
    // Who waits for whom is counted of all, and named within.
    'GET /api/v1/managed-certificates',
    'GET /api/v1/managed-certificates/:name',
    'GET /api/v1/managed-certificates/:name/orders',
    'GET /api/v1/groups/:name',
    'GET /api/v1/metrics/compare',
    'GET /api/v1/metrics/heatmap',
    'GET /api/v1/metrics/query',
    'GET /api/v1/metrics/sets',
    'GET /api/v1/metrics/top',
    'GET /api/v1/recovery',
    // What it finds, each time that it is asked.
    'POST /api/v1/request-searches',
    'GET /api/v1/request-searches/:id',
    'DELETE /api/v1/request-searches/:id',
    'GET /api/v1/events',
    'GET /api/v1/rollouts',
    'POST /api/v1/rollouts',
    'POST /api/v1/rollouts/preflight',
    'GET /api/v1/rollouts/plans/:planDigest/nodes',
    'GET /api/v1/rollouts/plans/:planDigest/cells',
    'GET /api/v1/rollouts/plans-under-way',
    'POST /api/v1/rollouts/plans-under-way/:id/actions/stop',
    'GET /api/v1/rollouts/:id',
    'GET /api/v1/rollouts/:id/tasks',
    'GET /api/v1/rollouts/:id/to-come',
    'GET /api/v1/rollouts/:id/cells',
    ...ACTIONS.map((action) => `POST /api/v1/rollouts/:id/actions/${action}`),
    'GET /api/v1/enrolment-tokens',
    'POST /api/v1/enrolment-tokens',
    'GET /api/v1/enrolment-tokens/:id',
    'DELETE /api/v1/enrolment-tokens/:id',
  ]
  type Route = { name: string; url: string; method: string; reach: Reach; schema: unknown }

  async function allRoutes() {
    const routes: Route[] = []
    const service = await build({
      onRoute: ({ method, url, config, schema }: RouteOptions) => {
        const reach = reachOf(url, config?.permission ?? 'public', config?.scope)
        for (const one of [method].flat().filter((name) => name !== 'HEAD'))
          routes.push({ name: `${one} ${url}`, url, method: one, reach, schema })
      },
    })
    return { service, routes }
  }

  test('that speaks of nodes consults the scope, or is for the whole farm', async () => {
    const { routes } = await allRoutes()
    const looking = routes.filter(({ reach }) => reach === 'nodes').map(({ name }) => name)
    expect(looking.sort()).toEqual([...LOOKS_ITSELF].sort())
    const careless = routes.filter(
      ({ reach, schema }) => reach === 'none' && JSON.stringify(schema ?? {}).includes('^node_'),
    )
    expect(careless.map(({ name }) => name)).toEqual([])
  })

  test('for the whole farm refuses whose roles do not count for all of it', async () => {
    const { service, routes } = await allRoutes()
    const farmWide = routes.filter(({ reach }) => reach === 'farm')
    expect(farmWide.length).toBeGreaterThan(8)
    const admin = await withScope(service, ['admin'])
    for (const { method, url, name } of farmWide) {
      const path = url.replaceAll(/:\w+/g, 'x')
      const answer = await admin.inject({ method: method as 'GET', url: path })
      expect([name, answer.json().code]).toEqual([name, 'whole_farm_required'])
    }
  })

  test('about one node answers as if a node outside were not there', async () => {
    const { service, routes } = await allRoutes()
    const outside = await enrolNode(service, { labels: { zone: 'us' } })
    const admin = await withScope(service, ['admin'])
    const aboutOne = routes.filter(({ reach }) => reach === 'node')
    expect(aboutOne.length).toBeGreaterThan(8)
    for (const { method, url, name } of aboutOne) {
      const path = url.replace(':id', outside.id).replaceAll(/:\w+/g, 'x')
      const answer = await admin.inject({ method: method as 'GET', url: path })
      expect([name, answer.json().code]).toEqual([name, 'node_not_found'])
    }
  })
})

describe('whose roles count for some nodes', () => {
  test('sees and changes those, and relabels none out of the scope', async () => {
    const { inside, operator } = await twoZones()
    const { items } = (await operator.inject({ url: '/api/v1/nodes' })).json()
    expect(items.map(({ id }: { id: string }) => id)).toEqual([inside.id])
    const url = `/api/v1/nodes/${inside.id}`
    const { headers } = await operator.inject({ url })
    const relabel = (labels: object) =>
      operator.inject({
        method: 'PATCH',
        url,
        payload: { labels },
        headers: { 'if-match': String(headers.etag) },
      })
    const refused = await relabel({ zone: 'us' })
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'outside_scope'])
    expect((await relabel({ zone: 'eu', rack: 'b2' })).statusCode).toBe(200)
  })

  test('counts those only', async () => {
    const { service, operator } = await twoZones()
    const counted = async (who: Client) =>
      (await who.inject({ url: '/api/v1/farm/summary' })).json().nodes.total
    expect([await counted(operator), await counted(service.admin)]).toEqual([1, 2])
  })

  test('charts those only', async () => {
    const { outside, operator } = await twoZones()
    const url = '/api/v1/metrics/query'
    const { series } = (await operator.inject({ url })).json()
    expect(JSON.stringify(series)).not.toContain(outside.id)
    const asked = await operator.inject({ url: `${url}?node=${outside.id}` })
    expect(asked.json().code).toBe('node_not_found')
  })

  test('makes tokens for nodes inside, and knows of no others', async () => {
    const { service, inside, outside, operator } = await twoZones()
    const url = '/api/v1/enrolment-tokens'
    const make = async (payload: object, who = operator) =>
      (await who.inject({ method: 'POST', url, payload })).json()
    expect((await make({ labels: { zone: 'us' } })).code).toBe('outside_scope')
    expect((await make({})).code).toBe('outside_scope')
    expect((await make({ nodeId: outside.id })).code).toBe('node_not_found')
    const good = [await make({ labels: { zone: 'eu' } }), await make({ nodeId: inside.id })]
    const foreign = await make({ nodeId: outside.id }, service.admin)
    const { items } = (await operator.inject({ url })).json()
    const ids = items.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining(good.map(({ id }) => id)))
    expect(ids).not.toContain(foreign.id)
    const remove = (id: string) => operator.inject({ method: 'DELETE', url: `${url}/${id}` })
    expect((await remove(foreign.id)).statusCode).toBe(404)
    const look = async (id: string) => (await operator.inject({ url: `${url}/${id}` })).json()
    expect((await look(foreign.id)).code).toBe('enrolment_token_not_found')
    expect(await look(good[1].id)).toMatchObject({ nodeName: inside.name })
    for (const { id } of good) expect((await remove(id)).statusCode).toBe(204)
  })

  test('starts and ends no rollout that reaches others, and sees their own part of it', async () => {
    const { service, inside, outside, operator } = await twoZones()
    const order = { method: 'POST' as const, url: '/api/v1/rollouts' }
    const payload = { config: 'default', version: 1, strategy: { atOnce: true } }
    for (const url of [order.url, `${order.url}?dryRun=1`]) {
      const refused = await operator.inject({ ...order, url, payload })
      expect([refused.statusCode, refused.json().code]).toEqual([403, 'outside_scope'])
    }
    const started = await service.admin.inject({ ...order, payload })
    expect(started.statusCode).toBe(201)
    const { id, stateVersion } = started.json()
    const seen = (await operator.inject({ url: `${order.url}/${id}` })).json()
    expect(seen.totalNodes).toBe(1)
    const nodesSeen = seen.waves.map(({ nodes }: { nodes: number }) => nodes)
    expect(nodesSeen).toEqual([1])
    const idsOf = async (who: Client, query: string) => {
      const { items, total } = (
        await who.inject({ url: `${order.url}/${id}/tasks${query}` })
      ).json()
      expect(total).toBe(items.length)
      return items.map(({ nodeId }: { nodeId: string }) => nodeId)
    }
    const hidden = (await service.admin.inject({ url: `/api/v1/nodes/${outside.id}` })).json().name
    for (const query of ['', '?exceptions=true']) {
      expect(await idsOf(service.admin, query)).toHaveLength(2)
      expect(await idsOf(operator, query)).toEqual([inside.id])
    }
    expect(await idsOf(operator, `?name=${hidden}`)).toEqual([])
    const cells = (await operator.inject({ url: `${order.url}/${id}/cells?namesFrom=0` })).json()
    expect(cells.cells).toHaveLength(1)
    expect(cells.names).toHaveLength(1)
    expect(cells.names).not.toContain(hidden)
    const list = (await operator.inject({ url: order.url })).json()
    expect(list.items.map(({ totalNodes }: { totalNodes: number }) => totalNodes)).toEqual([1])
    const stranger = await withScope(service, ['operator', 'approver'], 'zone=moon')
    for (const action of ACTIONS) {
      const act = async (who: Client) => {
        const url = `${order.url}/${id}/actions/${action}`
        const payload = {
          stateVersion,
          ...(['skip-gate', 'reject'].includes(action) && { reason: 'why not' }),
          ...(action === 'approve' && { planDigest: 'any' }),
        }
        return (await who.inject({ method: 'POST', url, payload })).json().code
      }
      expect([action, await act(operator)]).toEqual([action, 'outside_scope'])
      expect([action, await act(stranger)]).toEqual([action, 'rollout_not_found'])
    }
    expect((await stranger.inject({ url: order.url })).json().items).toEqual([])
  })

  test('gives a token no more than that, and knows of nobody else’s', async () => {
    const { service, inside, outside } = await twoZones()
    const admin = await withScope(service, ['admin'])
    const foreign = await withToken(service, service.admin)
    for (const who of [admin, await withToken(service, admin, { password: OWN_PASSWORD })]) {
      const { items } = (await who.inject({ url: '/api/v1/nodes' })).json()
      expect(items.map(({ id }: { id: string }) => id)).toEqual([inside.id])
      const code = async (url: string, method: 'GET' | 'DELETE' = 'GET') =>
        (await who.inject({ method, url })).json().code
      expect(await code(`/api/v1/nodes/${outside.id}/rendered`)).toBe('node_not_found')
      expect(await code('/api/v1/users')).toBe('whole_farm_required')
      expect(await code('/api/v1/tokens?all=1')).toBe('whole_farm_required')
      expect(await code(`/api/v1/tokens/${foreign.id}`, 'DELETE')).toBe('token_not_found')
    }
  })

  test('holds a token’s open stream no longer than the scope it began with', async () => {
    const { service, outside } = await twoZones()
    const scoped = await withScope(service, ['operator'], 'zone in (eu, us)')
    const program = await withToken(service, scoped, { password: OWN_PASSWORD })
    const stream = await listenTo(service, { authorization: `Bearer ${program.secret}` })
    const { user } = (await scoped.inject({ url: '/api/v1/session' })).json()
    const url = `/api/v1/users/${user.id}`
    const { headers } = await service.admin.inject({ url })
    await service.admin.inject({
      method: 'PATCH',
      url,
      payload: { scope: 'zone=eu' },
      headers: { 'if-match': String(headers.etag) },
    })
    await stream.ended
    expect((await program.inject({ url: `/api/v1/nodes/${outside.id}` })).statusCode).toBe(404)
  })

  test('hears of those only', async () => {
    const { service, inside, outside, operator } = await twoZones()
    const stream = await listenTo(service, { cookie: operator.cookie, 'last-event-id': '0' })
    const make = async (who: Client, zone: string) => {
      const payload = { labels: { zone } }
      const made = await who.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload })
      return made.json().id as string
    }
    const [own, foreign] = [await make(operator, 'eu'), await make(service.admin, 'us')]
    // Everything until now is replayed in order; this comes last.
    await relabel(operator, inside.id)
    await expect.poll(stream.heard).toMatch(new RegExp(`${inside.id}","action":"changed`))
    // One goes and one stays: how the other stands is told to who may see it alone.
    await Promise.all([outside.hello(), inside.hello()])
    await expect
      .poll(stream.heard)
      .toMatch(new RegExp(`${inside.id}","action":"hello","at":"[^"]+","node":{`))
    stream.abort()
    await stream.ended
    expect(stream.heard()).toContain(own)
    expect(stream.heard()).not.toContain(outside.id)
    expect(stream.heard()).not.toContain(foreign)
  })
})
