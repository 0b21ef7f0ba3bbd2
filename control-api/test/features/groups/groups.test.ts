// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// Groups through the API, and what nodes that speak the agent protocol then really get.
import { describe, expect, it } from 'vitest'
import { build } from '../../helper.ts'
import {
  addNode,
  etagOf,
  farm,
  group,
  groupOf,
  ok,
  push,
  pushed,
  saveVersion,
  send,
  text,
} from './farm.ts'

describe('groups', () => {
  it('begin with the default one, which takes every node and stays', async () => {
    const service = await farm()
    const { admin } = service
    const node = await addNode(service, 'edge-1')
    const { items, nextCursor } = (await ok(admin, 'GET', '/groups')).json()
    expect(items).toMatchObject([
      { name: 'default', selector: '', position: 1, config: null, nodes: 1, isDefault: true },
    ])
    expect(nextCursor).toBeNull()
    expect(await groupOf(admin, node)).toBe('default')
    const etag = await etagOf(admin, '/groups/default')
    const refused = [
      await send(admin, 'DELETE', '/groups/default', undefined, etag),
      await send(admin, 'PATCH', '/groups/default', { selector: 'zone=eu' }, etag),
    ]
    expect(refused.map((response) => response.json().code)).toEqual([
      'default_group_fixed',
      'default_group_fixed',
    ])
    await ok(admin, 'PATCH', '/groups/default', { mergePatch: { workers: 1 } }, etag)
  })

  it('need the right to change them, a body that fits, and the state that was read', async () => {
    const { admin, anonymous, as } = await build()
    expect((await send(anonymous, 'GET', '/groups')).statusCode).toBe(401)
    const viewer = await as('viewer')
    expect((await send(viewer, 'POST', '/groups', { name: 'eu', selector: '' })).statusCode).toBe(
      403,
    )
    expect((await ok(viewer, 'GET', '/groups')).json().items).toHaveLength(1)
    const refusals = await Promise.all([
      send(admin, 'POST', '/groups', { name: 'eu', selector: 'zone=' }),
      send(admin, 'POST', '/groups', { name: 'eu', selector: '', config: 'nowhere' }),
      send(admin, 'POST', '/groups', { name: 'default', selector: '' }),
      send(admin, 'POST', '/groups', { name: 'Eu', selector: '' }),
      send(admin, 'GET', '/groups/eu'),
      send(admin, 'PATCH', '/groups/default', { description: 'x' }),
      send(admin, 'PATCH', '/groups/default', { description: 'x' }, '"99"'),
    ])
    expect(refusals.map((refusal) => [refusal.statusCode, refusal.json().code])).toEqual([
      [422, 'selector_invalid'],
      [422, 'config_unknown'],
      [409, 'group_exists'],
      [400, 'invalid_request'],
      [404, 'group_not_found'],
      [428, 'precondition_required'],
      [412, 'precondition_failed'],
    ])
    expect(refusals[0]?.json().detail).toContain('Column 6: a value is expected')
  })

  it('are asked in their order; each node has the first that matches', async () => {
    const service = await farm()
    const { admin } = service
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu', canary: '1' } })
    await group(admin, 'europe', { selector: ' zone == eu ' })
    await group(admin, 'canaries', { selector: 'canary' })
    expect(await groupOf(admin, node)).toBe('europe')
    const etag = await etagOf(admin, '/group-order')
    const half = await send(admin, 'PUT', '/group-order', { names: ['europe'] }, etag)
    expect(half.json().code).toBe('order_incomplete')
    await ok(admin, 'PUT', '/group-order', { names: ['canaries', 'europe'] }, etag)
    expect(await groupOf(admin, node)).toBe('canaries')
    const stale = await send(admin, 'PUT', '/group-order', { names: ['europe', 'canaries'] }, etag)
    expect(stale.statusCode).toBe(412)
    await group(admin, 'first', { selector: 'zone', position: 1 })
    expect(await groupOf(admin, node)).toBe('first')
    const { items } = (await ok(admin, 'GET', '/groups')).json()
    expect(
      items.map((one: { name: string; position: number; nodes: number }) => [
        one.name,
        one.position,
        one.nodes,
      ]),
    ).toEqual([
      ['first', 1, 1],
      ['canaries', 2, 0],
      ['europe', 3, 0],
      ['default', 4, 0],
    ])
    expect(items[2].selector).toBe('zone=eu')
  })

  it('are replaced whole by PUT, in part by PATCH, and leave their nodes to the next', async () => {
    const service = await farm()
    const { admin } = service
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu' } })
    await saveVersion(admin, 'edge')
    await group(admin, 'eu', { selector: 'zone=eu', config: 'edge', mergePatch: { workers: 2 } })
    const at = '/groups/eu'
    const patch = { description: 'Europe' }
    const patched = await ok(admin, 'PATCH', at, patch, await etagOf(admin, at))
    expect(patched.json()).toMatchObject({ ...patch, config: 'edge', mergePatch: { workers: 2 } })
    const put = await ok(admin, 'PUT', at, { selector: 'zone' }, await etagOf(admin, at))
    expect(put.json()).toMatchObject({
      description: '',
      selector: 'zone',
      config: null,
      mergePatch: {},
    })
    await ok(admin, 'DELETE', at, undefined, await etagOf(admin, at))
    expect(await groupOf(admin, node)).toBe('default')
    const events = await service.services.db
      .selectFrom('events')
      .select('action')
      .where('kind', '=', 'group')
      .orderBy('id')
      .execute()
    expect(events.map(({ action }) => action)).toEqual(['created', 'changed', 'changed', 'deleted'])
  })

  it('are listed page by page, and have a bound', async () => {
    const { admin } = await build()
    for (let i = 1; i < 100; i++) await group(admin, `g${i}`, { selector: `n=${i}` })
    const page = (await ok(admin, 'GET', '/groups?limit=60')).json()
    const next = (await ok(admin, 'GET', `/groups?limit=60&cursor=${page.nextCursor}`)).json()
    const all = [...page.items, ...next.items].map(({ name }: { name: string }) => name)
    expect(new Set(all).size).toBe(100)
    expect(all.at(-1)).toBe('default')
    const tooMany = await send(admin, 'POST', '/groups', { name: 'one-more', selector: '' })
    expect(tooMany.json().code).toBe('too_many_groups')
  })
})

describe('a rollout', () => {
  it('of a group’s own config goes to that group; others get what no group has', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/default'))
    await saveVersion(admin, 'edge', text('/srv/edge'))
    await group(admin, 'eu', { selector: 'zone=eu', config: 'edge' })
    const [eu, us] = [
      await addNode(service, 'eu-1', { labels: { zone: 'eu' } }),
      await addNode(service, 'us-1', { labels: { zone: 'us' } }),
    ]
    await Promise.all([eu.connect(), us.connect()])
    const plan = (
      await ok(admin, 'POST', '/rollouts?dryRun=1', { config: 'edge', version: 1 })
    ).json()
    expect(plan.nodes.items).toMatchObject([{ nodeName: 'eu-1', group: 'eu' }])
    expect(plan.excluded.items).toMatchObject([
      { nodeName: 'us-1', group: 'default', reason: expect.stringContaining('a group') },
    ])
    await pushed(admin, 'edge', 1)
    await pushed(admin, 'default', 1)
    expect([eu.ran, us.ran]).toEqual([[text('/srv/edge')], [text('/srv/default')]])
    // A newcomer gets what was released for its group, whichever came last.
    const late = await addNode(service, 'eu-2', { labels: { zone: 'eu' } })
    await late.connect()
    await expect.poll(() => late.ran).toEqual([text('/srv/edge')])
  })

  it('for some labels only says who is left out, and releases nothing', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/1'))
    await saveVersion(admin, 'default', text('/srv/2'), 1)
    const canary = await addNode(service, 'canary', { labels: { canary: '1' } })
    const other = await addNode(service, 'other')
    await Promise.all([canary.connect(), other.connect()])
    await pushed(admin, 'default', 1)
    const narrow = { selector: 'canary' }
    const refused = await push(admin, 'default', 2, { selector: '(' })
    expect(refused.json().code).toBe('selector_invalid')
    const plan = await ok(admin, 'POST', '/rollouts?dryRun=1', {
      config: 'default',
      version: 2,
      ...narrow,
    })
    expect(plan.json().excluded).toMatchObject({
      total: 1,
      items: [{ nodeName: 'other', reason: 'The rollout is only for canary.' }],
    })
    await pushed(admin, 'default', 2, narrow)
    expect(canary.ran.at(-1)).toBe(text('/srv/2'))
    const late = await addNode(service, 'late', { labels: { canary: '1' } })
    await late.connect()
    await expect.poll(() => late.ran).toEqual([text('/srv/1')])
    expect(other.ran).toEqual([text('/srv/1')])
  })

  it('brings each node its own text, and refuses nodes without the label', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/${group.name}/${node.label.zone}'))
    await group(admin, 'europe', { selector: 'zone=eu', mergePatch: { workers: 2 } })
    const node = await addNode(service, 'edge-1', {
      labels: { zone: 'eu' },
      mergePatch: { workers: 1 },
    })
    await node.connect()
    const bare = await addNode(service, 'edge-2')
    const refused = await push(admin, 'default', 1)
    expect(refused.statusCode).toBe(422)
    expect(refused.json().errors).toMatchObject([
      { line: 3, message: 'the node has no label "zone"' },
    ])
    const etag = await etagOf(admin, `/nodes/${bare.id}`)
    await ok(admin, 'PATCH', `/nodes/${bare.id}`, { labels: { zone: 'us' } }, etag)
    await bare.connect()
    await pushed(admin, 'default', 1)
    expect(node.ran[0]).toContain('"root": "/srv/europe/eu"')
    expect(node.ran[0]).toContain('"workers": 1')
    expect(node.ran[0]).toContain('// the port')
    expect(bare.ran[0]).toContain('"root": "/srv/default/us"')
    const rendered = (await ok(admin, 'GET', `/nodes/${node.id}/rendered`)).json()
    const { sync } = (await ok(admin, 'GET', `/nodes/${node.id}`)).json()
    expect(rendered).toMatchObject({
      version: { config: 'default', number: 1 },
      text: node.ran[0],
      digest: sync.desired.digest,
      errors: [],
      layers: {
        versionText: text('/srv/${group.name}/${node.label.zone}'),
        group: { name: 'europe', mergePatch: { workers: 2 } },
        node: { mergePatch: { workers: 1 } },
        variables: [
          { name: 'group.name', value: 'europe' },
          { name: 'node.label.zone', value: 'eu' },
        ],
      },
    })
  })

  it('is what a node that changed group waits for, and its view says so', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default')
    await saveVersion(admin, 'edge')
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu' } })
    await node.connect()
    await pushed(admin, 'default', 1)
    const sync = async () => (await ok(admin, 'GET', `/nodes/${node.id}`)).json().sync
    expect((await sync()).reason).toBe('It runs default v1, as assigned.')
    await group(admin, 'eu', { selector: 'zone=eu' })
    expect(await sync()).toMatchObject({
      state: 'in-sync',
      reason: expect.stringContaining('It was in the group default then; what eu gets comes with'),
    })
    // The same text for the new group: nothing is offered, and nothing is awaited any more.
    await pushed(admin, 'default', 1)
    expect((await sync()).reason).toBe('It runs default v1, as assigned.')
    expect(node.ran).toHaveLength(1)
    const patch = { config: 'edge' }
    await ok(admin, 'PATCH', '/groups/eu', patch, await etagOf(admin, '/groups/eu'))
    expect((await sync()).reason).toContain('Its group eu gets the config edge: that comes with')
    await pushed(admin, 'edge', 1)
    expect((await sync()).reason).toBe('It runs edge v1, as assigned.')
  })
})

describe('a node', () => {
  it('is found by its group and by its labels', async () => {
    const service = await farm()
    const { admin } = service
    await group(admin, 'eu', { selector: 'zone=eu' })
    for (const [name, zone] of [
      ['a', 'eu'],
      ['b', 'us'],
      ['c', 'eu'],
    ] as const) {
      await addNode(service, name, { labels: { zone } })
    }
    const found = async (query: string) =>
      (await ok(admin, 'GET', `/nodes?${query}`))
        .json()
        .items.map(({ name }: { name: string }) => name)
    expect(await found('group=eu')).toEqual(['a', 'c'])
    expect(await found('group=default')).toEqual(['b'])
    expect(await found(`selector=${encodeURIComponent('zone!=eu')}`)).toEqual(['b'])
    expect(await found('group=eu&selector=zone%3Dus')).toEqual([])
    const page = (await ok(admin, 'GET', '/nodes?group=eu&limit=1')).json()
    expect(await found(`group=eu&limit=1&cursor=${page.nextCursor}`)).toEqual(['c'])
    expect((await send(admin, 'GET', '/nodes?selector=(')).json().code).toBe('selector_invalid')
  })

  it('shows a version it was never given, or says that there is none', async () => {
    const service = await farm()
    const { admin } = service
    const { id } = await addNode(service, 'edge-1')
    const at = `/nodes/${id}/rendered`
    expect((await send(admin, 'GET', at)).json().code).toBe('nothing_assigned')
    expect((await send(admin, 'GET', `${at}?config=default`)).statusCode).toBe(400)
    const missing = await send(admin, 'GET', `${at}?config=default&version=1`)
    expect(missing.json().code).toBe('version_not_found')
    await saveVersion(admin, 'default', text('${node.label.zone}'))
    const rendered = (await ok(admin, 'GET', `${at}?config=default&version=1`)).json()
    expect(rendered).toMatchObject({ digest: null, errors: [{ code: 'undefined_variable' }] })
  })
})

describe('a version with variables', () => {
  it('is saved while there are no nodes; what can never fit is refused at once', async () => {
    const { admin } = await build()
    const save = (versionText: string) =>
      send(admin, 'POST', '/configs/default/versions', {
        text: versionText,
        parent: null,
        message: 'test',
      })
    const misspelt = await save(text('/srv/${node.lable.zone}'))
    expect(misspelt.statusCode).toBe(422)
    expect(misspelt.json().errors).toMatchObject([
      { line: 3, code: 'undefined_variable', message: 'there is no variable "node.lable.zone"' },
    ])
    const port = await save(text().replace('8080', '"${node.label.port}"'))
    expect(port.json().errors).toMatchObject([{ line: 2, code: 'wrong_type' }])
    const elsewhere = await save(text('${node.label.root}').replace('8080', '70000'))
    expect(elsewhere.json().errors).toMatchObject([{ pointer: '/listen/0/port', line: 2 }])
    // Neither is what a made-up word would pass for: an address, and an absolute path.
    const saved = await save(
      text('${node.label.root}').replace('127.0.0.1', '${node.label.address}'),
    )
    expect(saved.statusCode).toBe(201)
  })
})
