// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// What a change would do, asked before it is made; nothing of it is stored.
import { describe, expect, it } from 'vitest'
import type { Policy } from '../../../src/agent-protocol/messages.gen.ts'
import type { Impact } from '../../../src/api-shapes/impact.ts'
import { example } from '../../agents/node-client.ts'
import { addNode, etagOf, farm, group, ok, push, pushed, saveVersion, send, text } from './farm.ts'

const names = (impact: Impact, of: 'moves' | 'changes' | 'invalid') =>
  impact[of].items.map(({ nodeName }) => nodeName)

describe('a dry run', () => {
  it('says who would change group and whose text would differ, and changes nothing', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/${node.label.zone}'))
    for (const [name, zone] of [
      ['edge-1', 'eu'],
      ['edge-2', 'eu'],
      ['edge-3', 'us'],
    ] as const) {
      await (await addNode(service, name, { labels: { zone } })).connect()
    }
    await pushed(admin, 'default', 1)
    const eu = { name: 'eu', selector: 'zone=eu', mergePatch: { workers: 2 } }
    const response = await ok(admin, 'POST', '/groups?dryRun=1', eu)
    expect(response.statusCode).toBe(200)
    const impact: Impact = response.json()
    expect(impact.moves.items).toMatchObject([
      { nodeName: 'edge-1', from: 'default', to: 'eu' },
      { nodeName: 'edge-2', from: 'default', to: 'eu' },
    ])
    expect(impact.changes).toMatchObject({
      total: 2,
      items: [{ nodeName: 'edge-1', pointers: ['/workers'] }, { nodeName: 'edge-2' }],
    })
    const [change] = impact.changes.items
    expect(change?.fromDigest).not.toBe(change?.toDigest)
    expect(impact).toMatchObject({ invalid: { total: 0 }, unchecked: 0 })
    expect((await ok(admin, 'GET', '/groups')).json().items).toHaveLength(1)

    await group(admin, eu.name, eu)
    const etag = await etagOf(admin, '/groups/eu')
    const gone: Impact = (await ok(admin, 'DELETE', '/groups/eu?dryRun=1', undefined, etag)).json()
    expect(names(gone, 'moves')).toEqual(['edge-1', 'edge-2'])
    expect((await send(admin, 'DELETE', '/groups/eu?dryRun=1')).statusCode).toBe(428)
    const order: Impact = (
      await ok(
        admin,
        'PUT',
        '/group-order?dryRun=1',
        { names: ['eu'] },
        await etagOf(admin, '/group-order'),
      )
    ).json()
    expect(order).toMatchObject({ moves: { total: 0 }, changes: { total: 0 } })
  })

  it('finds the nodes whose machines’ owners would not allow it', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/www'))
    const { policy } = example<{ policy: Policy }>('hello.request.policy')
    for (const name of ['edge-1', 'edge-2']) {
      const node = await addNode(service, name)
      if (name === 'edge-1') node.policy = policy
      await node.connect()
    }
    await pushed(admin, 'default', 1)
    const elsewhere = { mergePatch: { sites: [{ hosts: ['*'], root: '/home/ben' }] } }
    const eu = { name: 'eu', selector: '', ...elsewhere }
    const impact: Impact = (await ok(admin, 'POST', '/groups?dryRun=1', eu)).json()
    expect(impact.changes.total).toBe(2)
    expect(impact.invalid.items).toMatchObject([
      {
        nodeName: 'edge-1',
        version: { config: 'default', number: 1 },
        errors: [{ code: 'policy', message: expect.stringContaining('/home/ben') }],
      },
    ])
    expect(impact.unchecked).toBe(0)
  })

  it('finds the nodes that would refuse, with places in the author’s text', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/${node.label.zone}'))
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu' } })
    await node.connect()
    await pushed(admin, 'default', 1)
    const at = `/nodes/${node.id}`
    const etag = await etagOf(admin, at)
    const unlabelled: Impact = (
      await ok(admin, 'PATCH', `${at}?dryRun=1`, { labels: {} }, etag)
    ).json()
    expect(unlabelled.invalid.items).toMatchObject([
      {
        nodeName: 'edge-1',
        version: { config: 'default', number: 1 },
        errors: [{ code: 'undefined_variable', line: 3, pointer: '/sites/0/root' }],
      },
    ])
    expect(unlabelled.changes.items).toMatchObject([{ toDigest: null }])
    const override: Impact = (
      await ok(admin, 'PUT', `${at}/override?dryRun=1`, { mergePatch: { workers: 100_000 } }, etag)
    ).json()
    expect(override.invalid.items[0]?.errors[0]).toMatchObject({
      pointer: '/workers',
      line: 0,
      hint: expect.stringContaining('this value comes from the node’s override'),
    })
    const same: Impact = (
      await ok(admin, 'PUT', `${at}/override?dryRun=1`, { mergePatch: {} }, etag)
    ).json()
    expect(same).toMatchObject({ changes: { total: 0 }, invalid: { total: 0 } })
    expect(await etagOf(admin, at)).toBe(etag)
  })

  it.each([
    ['labels', 'PATCH', '/nodes/ID', { labels: { zone: 'us' } }, ['/sites/0/root']],
    ['an override', 'PUT', '/nodes/ID/override', { mergePatch: { workers: 3 } }, ['/workers']],
    ['a group’s override', 'PATCH', '/groups/eu', { mergePatch: { workers: 4 } }, ['/workers']],
    ['a whole group', 'PUT', '/groups/eu', { selector: 'zone=mars' }, ['/workers']],
    ['a group that goes', 'DELETE', '/groups/eu', undefined, ['/workers']],
    ['the order', 'PUT', '/group-order', { names: ['all', 'eu'] }, ['/workers', '/limits']],
  ] as const)('of %s tells the digest that the node then gets', async (_, method, to, body, at) => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/${node.label.zone}'))
    await group(admin, 'eu', { selector: 'zone=eu', mergePatch: { workers: 2 } })
    const limits = { connections: 10 }
    if (to === '/group-order') {
      await group(admin, 'all', { selector: 'zone', mergePatch: { limits } })
    }
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu' } })
    await node.connect()
    await pushed(admin, 'default', 1)
    const path = to.replace('ID', node.id)
    const etag = await etagOf(admin, path)
    const answer = await ok(admin, method, `${path}?dryRun=1`, body, etag)
    const impact: Impact = answer.json()
    expect(impact).toMatchObject({ invalid: { total: 0 }, changes: { total: 1 }, unchecked: 0 })
    expect(impact.changes.items[0]?.pointers).toEqual(expect.arrayContaining([...at]))
    await ok(admin, method, path, body, etag)
    expect(node.ran).toHaveLength(1)
    await pushed(admin, 'default', 1)
    const { sync } = (await ok(admin, 'GET', `/nodes/${node.id}`)).json()
    expect(sync.effective.digest).toBe(impact.changes.items[0]?.toDigest)
    expect(node.ran).toHaveLength(2)
  })

  it('refuses what the change itself would refuse', async () => {
    const service = await farm()
    const { admin } = service
    const { id } = await addNode(service, 'edge-1')
    await addNode(service, 'edge-2')
    await group(admin, 'eu', { selector: 'zone=eu' })
    const [node, override, eu] = [`/nodes/${id}`, `/nodes/${id}/override`, '/groups/eu']
    const [nodeTag, euTag] = [await etagOf(admin, node), await etagOf(admin, eu)]
    const tooLarge = { mergePatch: { notes: 'x'.repeat(70_000) } }
    const changes = [
      ['PATCH', node, { name: 'edge-2' }, nodeTag],
      ['PATCH', node, { name: 'edge-3' }, undefined],
      ['PUT', override, tooLarge, nodeTag],
      ['PUT', override, { mergePatch: {} }, '"99"'],
      ['PUT', eu, { selector: 'zone=(' }, euTag],
      ['PUT', eu, { selector: '', config: 'nowhere' }, euTag],
      ['PATCH', eu, tooLarge, euTag],
      ['POST', '/groups', { name: 'eu', selector: '' }, undefined],
      ['DELETE', '/groups/default', undefined, await etagOf(admin, '/groups/default')],
      ['PUT', '/group-order', { names: [] }, await etagOf(admin, '/group-order')],
    ] as const
    for (const [method, path, body, etag] of changes) {
      const asked = await send(admin, method, `${path}?dryRun=1`, body, etag)
      const made = await send(admin, method, path, body, etag)
      expect(asked.statusCode, `${method} ${path}`).toBeGreaterThanOrEqual(400)
      expect(asked.json().code, `${method} ${path}`).toBe(made.json().code)
    }
    const viewer = await service.as('viewer')
    const patch = { mergePatch: {} }
    const forbidden = await send(viewer, 'PATCH', `${eu}?dryRun=1`, patch, euTag)
    expect(forbidden.statusCode).toBe(403)
  })

  it('of a rollout shows who would refuse it, and starts nothing', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default', text('/srv/${node.label.zone}'))
    const node = await addNode(service, 'edge-1', { labels: { zone: 'eu' } })
    await addNode(service, 'edge-2')
    await node.connect()
    const plan = (
      await ok(admin, 'POST', '/rollouts?dryRun=1', { config: 'default', version: 1 })
    ).json()
    expect(plan.nodes.items).toMatchObject([
      { nodeName: 'edge-1', errors: [], digest: expect.stringMatching(/^sha256:/) },
      {
        nodeName: 'edge-2',
        digest: null,
        errors: [{ line: 3, column: 45, endColumn: 63, code: 'undefined_variable' }],
      },
    ])
    expect((await push(admin, 'default', 1)).statusCode).toBe(422)
    expect((await ok(admin, 'GET', '/rollouts')).json().items).toEqual([])
    expect(node.ran).toEqual([])
  })
})
