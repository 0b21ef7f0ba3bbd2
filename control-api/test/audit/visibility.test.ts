// SPDX-License-Identifier: MIT
// What a caller hears of: the table of kinds, and that nothing goes around it.
import { describe, expect, test } from 'vitest'
import { permissionsOf } from '../../src/access/permissions.ts'
import type { Role } from '../../src/access/roles.ts'
import { EventSchema } from '../../src/audit/event.ts'
import type { Kind, Thing } from '../../src/audit/visibility.ts'
import { deafTo, type Facts, hearsAll, KINDS, mayHear } from '../../src/audit/visibility.ts'
import type { Version } from '../../src/farmctl/api-types.ts'
import { kindsOf, messageOf } from '../../src/features/webhooks/rules.ts'
import { isInside, parseSelector, type Selector } from '../../src/labels/selector.ts'
import { enrolNode } from '../agents/node-client.ts'
import { type Built, build, type Client, withToken } from '../helper.ts'
import { personWith } from '../person.ts'

const selector = (text: string): Selector => {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.selector
}

describe('the table of kinds', () => {
  const kinds: readonly Kind[] = EventSchema.properties.kind.enum
  const EU = selector('zone=eu')
  /** Nodes and rollouts called in-… are inside; tokens belong to whom their name says. */
  const facts: Facts = {
    nodeIsWithin: async (id) => id.startsWith('in-'),
    rolloutTouches: async (id) => id.startsWith('in-'),
    alertIsWithin: async (id) => id.startsWith('in-'),
    ownerOfToken: async (id) => id.replace('token-of-', ''),
  }
  const viewer = (role: Role, scope: Selector | null) => ({
    id: 'me',
    permissions: permissionsOf([role]),
    scope,
  })
  const hears = (role: Role, scope: Selector | null, thing: Thing) =>
    mayHear(viewer(role, scope), thing, facts)

  test('has a row for every kind of event', () => {
    expect(Object.keys(KINDS).sort()).toEqual([...kinds].sort())
  })

  const ALL: Role[] = ['viewer', 'editor', 'operator', 'approver', 'auditor', 'admin']
  const OVERSIGHT: Role[] = ['auditor', 'admin']
  /** Who hears of somebody else's thing; inside: with a scope that has it; outside: with one that has not. */
  const rows: [Kind, { whole: Role[]; inside: Role[]; outside: Role[] }][] = [
    ['node', { whole: ALL, inside: ALL, outside: [] }],
    ['metrics', { whole: ALL, inside: ALL, outside: [] }],
    ['rollout', { whole: ALL, inside: ALL, outside: [] }],
    ['alert', { whole: ALL, inside: ALL, outside: [] }],
    ['alert-rule', { whole: ALL, inside: ALL, outside: ALL }],
    ['config', { whole: ALL, inside: ALL, outside: ALL }],
    ['group', { whole: ALL, inside: ALL, outside: ALL }],
    ['system', { whole: ALL, inside: ALL, outside: ALL }],
    ['user', { whole: OVERSIGHT, inside: [], outside: [] }],
    ['session', { whole: OVERSIGHT, inside: [], outside: [] }],
    ['token', { whole: OVERSIGHT, inside: [], outside: [] }],
    ['webhook', { whole: OVERSIGHT, inside: [], outside: [] }],
    ['backup', { whole: ['admin'], inside: [], outside: [] }],
  ]
  test.each(rows)('%s', async (kind, expected) => {
    const who = async (scope: Selector | null, id: string) => {
      const heard = await Promise.all(ALL.map((role) => hears(role, scope, { kind, id })))
      return ALL.filter((_role, i) => heard[i])
    }
    expect({
      whole: await who(null, 'out-1'),
      inside: await who(EU, 'in-1'),
      outside: await who(EU, 'out-1'),
    }).toEqual(expected)
  })

  test('lets everybody hear of their own account, and of no other', async () => {
    for (const kind of ['user', 'session'] as const) {
      expect(await hears('viewer', EU, { kind, id: 'me' })).toBe(true)
      expect(await hears('viewer', EU, { kind, id: 'you' })).toBe(false)
    }
    expect(await hears('viewer', EU, { kind: 'token', id: 'token-of-me' })).toBe(true)
    expect(await hears('viewer', EU, { kind: 'token', id: 'token-of-you' })).toBe(false)
    expect(await hears('viewer', EU, { kind: 'node', id: 'me' })).toBe(false)
  })

  test('asks nothing of who hears all', () => {
    expect(hearsAll(viewer('admin', null))).toBe(true)
    expect(hearsAll(viewer('admin', EU))).toBe(false)
    expect(hearsAll(viewer('auditor', null))).toBe(false)
  })

  test('holds for whom a webhook tells', () => {
    expect(kindsOf(['*']).sort()).toEqual([...kinds].sort())
    expect(kindsOf(['node.disconnected', 'user.*', 'token'])).toEqual(['node', 'user', 'token'])
    const mine = { permissions: permissionsOf(['viewer']) }
    expect(deafTo(mine, kindsOf(['node', 'rollout']))).toEqual([])
    expect(deafTo(mine, kindsOf(['user', 'session']))).toEqual(['users:read', 'audit:read'])
  })
})

describe('a selector is inside another', () => {
  test.each([
    ['zone=eu', 'zone=eu', true],
    ['zone=eu,tier=edge', 'zone=eu', true],
    ['zone=eu', 'zone in (eu, us)', true],
    ['zone in (eu, us)', 'zone=eu', false],
    ['tier=edge', 'zone=eu', false],
    ['', 'zone=eu', false],
    ['zone=eu', '', true],
    ['zone=eu', 'zone', true],
    ['zone!=eu', 'zone', false],
    ['zone=eu', '!canary', false],
    ['!canary', '!canary', true],
    ['zone=eu', 'zone!=us', true],
    ['!zone', 'zone!=us', true],
    ['zone notin (us, eu)', 'zone!=us', true],
    ['zone!=eu', 'zone notin (us, eu)', false],
    ['zone=eu', 'zone notin (us, eu)', false],
  ])('"%s" in "%s": %s', (inner, outer, expected) => {
    expect(isInside(selector(inner), selector(outer))).toBe(expected)
  })
})

const text = '{"listen":[{"port":8080}],"sites":[{"hosts":["*"],"root":"/srv"}]}'

/** A rollout over two zones, of which an operator has one. */
async function twoZones() {
  const service = await build()
  const inside = await enrolNode(service, { labels: { zone: 'eu' } })
  const outside = await enrolNode(service, { labels: { zone: 'secret' } })
  await inside.hello()
  await outside.hello()
  const url = '/api/v1/configs/default/versions'
  const payload = { text, message: 'First', parent: null }
  await service.admin.inject({ method: 'POST', url, payload })
  const operator = await personWith(service, ['operator'], 'zone=eu')
  const { name } = (await service.admin.inject({ url: `/api/v1/nodes/${outside.id}` })).json()
  return { service, inside, outside, operator, nameOutside: String(name) }
}

/** As a reason is stored that is from before they had codes. */
const sentence = (text: string) => JSON.stringify({ code: 'text', text })

const ORDER = { config: 'default', version: 1 }

describe('who has a part of the farm', () => {
  test('reads of a rollout that has other nodes, too, nothing of those', async () => {
    const { service, operator, outside, nameOutside } = await twoZones()
    const url = '/api/v1/rollouts'
    const { id } = (await service.admin.inject({ method: 'POST', url, payload: ORDER })).json<{
      id: string
    }>()
    const evidence = { wave: 0, verdict: { message: `${nameOutside} is slow` } }
    const reason = sentence(`waiting for ${nameOutside}`)
    const set = (evidence: string | null) =>
      service.services.db
        .updateTable('rollouts')
        .set({ reason, evidence })
        .where('id', '=', id)
        .execute()
    await set(JSON.stringify(evidence))
    for (const path of [`${url}/${id}`, url]) {
      const { body } = await operator.inject({ url: path })
      expect(body).toContain(id)
      expect(body).not.toContain(nameOutside)
      expect(body).not.toContain(outside.id)
      expect(body).toContain('Of your 1 in it, 0 have the version')
    }
    // The engine goes on meanwhile, and may have said something else.
    const said = async () => {
      await set(null)
      return (await service.admin.inject({ url: `${url}/${id}` })).json().reason
    }
    await expect.poll(said).toContain(nameOutside)
  })

  test('is told what holds a rollout up that has other nodes, too, but not what people wrote for all', async () => {
    const { service, operator, nameOutside } = await twoZones()
    const url = '/api/v1/rollouts'
    const made = await service.admin.inject({ method: 'POST', url, payload: ORDER })
    const { id, stateVersion } = made.json()
    const pause = `${url}/${id}/actions/pause`
    const payload = { stateVersion, reason: `${nameOutside} is odd` }
    await service.admin.inject({ method: 'POST', url: pause, payload })
    const { reason } = (await operator.inject({ url: `${url}/${id}` })).json()
    expect(reason).toMatch(
      /^Paused: Of your 1 in it, 0 have the version. test-admin paused it. Resume goes on./,
    )
    expect(reason).not.toContain(nameOutside)
  })

  test('is told by every way why a rollout waits, without the nodes it waits for beside theirs', async () => {
    const { service, operator, inside, outside, nameOutside } = await twoZones()
    const url = '/api/v1/rollouts'
    const strategy = { atOnce: true }
    const payload = { ...ORDER, strategy }
    const made = await service.admin.inject({ method: 'POST', url, payload })
    const { id, reason: whole } = made.json()
    const nameInside = (await operator.inject({ url: `/api/v1/nodes/${inside.id}` })).json().name
    expect(whole).toContain(nameOutside)
    const told = `Under way: Of your 1 in it, 0 have the version. Waiting for ${nameInside} and nodes outside your scope. It has nodes outside your scope as well.`
    const single = await operator.inject({ url: `${url}/${id}` })
    const list = await operator.inject({ url })
    expect(single.json()).toMatchObject({ reason: told, reasonCode: 'waiting_for_nodes' })
    expect(list.json().items).toMatchObject([{ reason: told, reasonCode: 'waiting_for_nodes' }])
    for (const { body } of [single, list]) {
      expect(body).not.toContain(nameOutside)
      expect(body).not.toContain(outside.id)
    }
    // An action answers with the rollout, too.
    const { stateVersion } = single.json()
    const body = { stateVersion, reason: 'lunch' }
    const pause = { method: 'POST', url: `${url}/${id}/actions/pause`, payload: body } as const
    expect((await operator.inject(pause)).statusCode).toBe(403)
    const answer = (await service.admin.inject(pause)).json()
    expect(answer).toMatchObject({ reasonCode: 'manual' })
    expect(answer.reason).toContain('test-admin paused it: lunch.')
    // Events say what changed, not how, so neither the stream nor a webhook tells a reason.
    const events = await service.services.events.after(0, 1000)
    const ofIt = events.filter(({ event }) => event.id === id)
    expect(ofIt.map(({ event }) => event.action)).toEqual(
      expect.arrayContaining(['running', 'paused']),
    )
    for (const { event } of ofIt) {
      expect(Object.keys(event).sort()).toEqual(['action', 'at', 'id', 'kind'])
      const told = messageOf('cp', { id: 1, actor: null, detail: null, event }).body
      expect(told).not.toContain(nameOutside)
      expect(told).not.toContain('lunch')
    }
    // The audit keeps words and code, and is for who sees the whole farm.
    const audit = '/api/v1/audit'
    const rows = (await service.admin.inject({ url: `${audit}?object=${id}&action=paused` })).json()
    const entry = (await service.admin.inject({ url: `${audit}/${rows.items[0].id}` })).json()
    expect(entry.data).toMatchObject({ reason: answer.reason, reasonCode: 'manual' })
    const auditor = await personWith(service, ['auditor'], 'zone=eu')
    for (const path of [audit, `${audit}/${rows.items[0].id}`, `${audit}/export`]) {
      expect((await auditor.inject({ url: path })).statusCode, path).toBe(403)
    }
  })

  test('is not told of rollouts that have none of their nodes', async () => {
    const { service, operator } = await twoZones()
    const url = '/api/v1/rollouts'
    const payload = { ...ORDER, selector: 'zone=eu' }
    const { id } = (await operator.inject({ method: 'POST', url, payload })).json()
    const foreign = `rollout_${'0'.repeat(26)}`
    await service.services.db
      .updateTable('rollouts')
      .set({ reason: sentence(`Waits until ${foreign} leaves room, after ${id}.`) })
      .execute()
    const { reason } = (await operator.inject({ url: `${url}/${id}` })).json()
    expect(reason).toBe(`Waits until another rollout leaves room, after ${id}.`)
  })

  test('reads the reason of a rollout that is theirs alone', async () => {
    const { operator } = await twoZones()
    const payload = { ...ORDER, selector: 'zone=eu' }
    const made = await operator.inject({ method: 'POST', url: '/api/v1/rollouts', payload })
    expect(made.statusCode).toBe(201)
    expect(made.json().reason).toMatch(/of 1 nodes have the version/)
  })

  test.each(['zone=secret', 'zone=nowhere', '', 'zone'])(
    'finds out by no dry run which other nodes there are: "%s"',
    async (asked) => {
      const { operator } = await twoZones()
      const url = '/api/v1/rollouts?dryRun=1'
      const payload = { ...ORDER, selector: asked }
      const refused = await operator.inject({ method: 'POST', url, payload })
      expect(refused.json()).toMatchObject({ code: 'outside_scope', status: 403 })
      expect(refused.json().detail).toBe(
        'Your roles count for nodes with zone=eu only; the order’s selector must stay inside: "zone=eu", or that and more. Ask somebody whose roles count there.',
      )
    },
  )

  test('finds out by no name which other nodes there are', async () => {
    const { operator, inside, nameOutside } = await twoZones()
    const url = `/api/v1/nodes/${inside.id}`
    const etag = String((await operator.inject({ url })).headers.etag)
    const rename = async (name: string, query = '') =>
      (
        await operator.inject({
          method: 'PATCH',
          url: url + query,
          payload: { name },
          headers: { 'if-match': etag },
        })
      ).json().code
    for (const name of [nameOutside, 'nobody-has-this']) {
      expect(await rename(name)).toBe('whole_farm_required')
      expect(await rename(name, '?dryRun=1')).toBe('whole_farm_required')
    }
  })

  test('counts no other nodes by versions or groups', async () => {
    const { service, operator, outside } = await twoZones()
    await service.services.db
      .updateTable('nodes')
      .set({ running_config: 'default', running_version: 1 })
      .where('id', '=', outside.id)
      .execute()
    const countsOf = async (who: Client) => {
      const versions = (await who.inject({ url: '/api/v1/configs/default/versions' })).json()
      const one = (await who.inject({ url: '/api/v1/configs/default/versions/1' })).json<Version>()
      const groups = (await who.inject({ url: '/api/v1/groups' })).json()
      const [{ name }] = groups.items
      const group = (await who.inject({ url: `/api/v1/groups/${name}` })).json()
      return [versions.items[0].nodes, one.nodes, groups.items[0].nodes, group.nodes]
    }
    expect(await countsOf(service.admin)).toEqual([1, 1, 2, 2])
    expect(await countsOf(operator)).toEqual([0, 0, 1, 1])
  })
})

describe('an event stream', () => {
  /** All that is replayed, up to the last thing that happened. */
  async function heardBy(service: Built, who: Client, until: string): Promise<string> {
    const address = service.app.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const abort = new AbortController()
    const headers = { cookie: who.cookie, 'last-event-id': '0' }
    const url = `http://127.0.0.1:${address.port}/api/v1/events`
    const { body } = await fetch(url, { headers, signal: abort.signal })
    let heard = ''
    for await (const chunk of body ?? []) {
      heard += Buffer.from(chunk).toString()
      if (heard.includes(until)) break
    }
    abort.abort()
    return heard
  }

  test('tells a viewer of no users, tokens, sign-ins or webhooks but their own', async () => {
    const service = await build()
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    const viewer = await service.as('viewer')
    const own = (await viewer.inject({ url: '/api/v1/session' })).json().user.id
    const token = await withToken(service, service.admin)
    const mine = await withToken(service, viewer)
    const other = await personWith(service, ['editor'], null)
    const otherId = (await other.inject({ url: '/api/v1/session' })).json().user.id
    const webhook = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/webhooks',
      payload: { url: 'https://hooks.example.org/x' },
    })
    const last = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/configs/last/versions',
      payload: { text, message: 'Last', parent: null },
    })
    expect(last.statusCode).toBe(201)
    const heard = await heardBy(service, viewer, '"id":"last"')
    expect(heard).toContain(own)
    expect(heard).toContain(mine.id)
    for (const foreign of [token.id, otherId, webhook.json().id]) {
      expect(heard).not.toContain(foreign)
    }
    const all = await heardBy(service, service.admin, '"id":"last"')
    for (const each of [own, mine.id, token.id, otherId, webhook.json().id]) {
      expect(all).toContain(each)
    }
  })
})

describe('a webhook', () => {
  test('is told at most what who makes or changes it may hear', async () => {
    const service = await build()
    const url = '/api/v1/webhooks'
    const permissions = ['webhooks:read' as const, 'webhooks:write' as const, 'nodes:read' as const]
    const program = await withToken(service, service.admin, { permissions })
    const make = (who: Client, events: string[]) =>
      who.inject({ method: 'POST', url, payload: { url: 'https://hooks.example.org/x', events } })
    for (const events of [['*'], ['user'], ['session.signed-in'], ['node', 'token.*']]) {
      const refused = await make(program, events)
      expect([refused.statusCode, refused.json().code]).toEqual([403, 'beyond_your_events'])
    }
    expect((await make(program, ['node.disconnected', 'webhook'])).statusCode).toBe(201)
    const made = await make(service.admin, ['*'])
    const { id } = made.json()
    const redirected = await program.inject({
      method: 'PATCH',
      url: `${url}/${id}`,
      payload: { url: 'https://elsewhere.example.org/x' },
      headers: { 'if-match': String(made.headers.etag) },
    })
    expect(redirected.json().code).toBe('beyond_your_events')
    const { items } = (await service.admin.inject({ url: '/api/v1/audit?kind=token' })).json()
    const again = await program.inject({
      method: 'POST',
      url: `${url}/${id}/actions/redeliver`,
      payload: { eventId: items[0].id },
    })
    expect(again.json().code).toBe('beyond_your_events')
  })
})
