// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// What a text would do to the nodes, asked while it is being written.
import { describe, expect, it } from 'vitest'
import type { Policy } from '../../../src/agent-protocol/messages.gen.ts'
import type { Effect } from '../../../src/api-shapes/effect.ts'
import { example } from '../../agents/node-client.ts'
import { type Client, withToken } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { addNode, type Farm, farm, group, ok, pushed, saveVersion, send, text } from './farm.ts'

const effectOf = async (client: Client, config: string, asked: string): Promise<Effect> =>
  (await ok(client, 'POST', `/configs/${config}/effect`, { text: asked })).json()

/** Two that run version 1 of "default", one of them in a group of its own, and one that runs "other". */
async function threeNodes(): Promise<Farm> {
  const service = await farm()
  const { admin } = service
  await saveVersion(admin, 'default')
  await saveVersion(admin, 'other')
  await group(admin, 'apart', { selector: 'apart', config: 'other' })
  await group(admin, 'eu', { selector: 'zone=eu', mergePatch: { workers: 2 } })
  await (await addNode(service, 'edge-1', { labels: { zone: 'eu' } })).connect()
  await (await addNode(service, 'edge-2', { labels: { zone: 'us' } })).connect()
  await (await addNode(service, 'edge-3', { labels: { apart: 'yes' } })).connect()
  await pushed(admin, 'default', 1)
  await pushed(admin, 'other', 1)
  return service
}

describe('the effect of a text', () => {
  it('is counted on the nodes that the config is for, by group and by what they have', async () => {
    const { admin } = await threeNodes()
    expect(await effectOf(admin, 'default', text('/srv/new'))).toEqual({
      nodes: 2,
      changed: 2,
      groups: {
        total: 2,
        items: [
          { group: 'eu', nodes: 1, changed: 1 },
          { group: 'default', nodes: 1, changed: 1 },
        ],
      },
      versions: { total: 1, items: [{ config: 'default', version: 1, nodes: 2 }] },
      refused: { nodes: 0, findings: { total: 0, items: [] } },
      unchecked: 0,
    })
  })

  it('is none where a node has it already: by comments alone, or by its group', async () => {
    const { admin } = await threeNodes()
    expect((await effectOf(admin, 'default', `// why\n${text()}`)).changed).toBe(0)
    const withWorkers = text().replace('{', '{\n  "workers": 2,')
    expect((await effectOf(admin, 'default', withWorkers)).groups.items).toEqual([
      { group: 'eu', nodes: 1, changed: 0 },
      { group: 'default', nodes: 1, changed: 1 },
    ])
  })

  it('names who would refuse it: by its owner’s rules, and by what a group makes of it', async () => {
    const service = await farm()
    const { admin } = service
    await saveVersion(admin, 'default')
    await group(admin, 'eu', { selector: 'zone=eu' })
    const { policy } = example<{ policy: Policy }>('hello.request.policy')
    const guarded = await addNode(service, 'edge-1', { labels: { zone: 'us', disk: 'ssd' } })
    guarded.policy = policy
    await guarded.connect()
    await (await addNode(service, 'edge-2', { labels: { zone: 'us', disk: 'hdd' } })).connect()
    await (await addNode(service, 'edge-3', { labels: { zone: 'eu' } })).connect()
    await pushed(admin, 'default', 1)
    const { refused } = await effectOf(admin, 'default', text('/home/${node.label.disk}'))
    expect(refused.nodes).toBe(2)
    expect(refused.findings.items).toMatchObject([
      {
        error: { code: 'policy', message: expect.stringContaining('/home/ssd') },
        nodes: { total: 1, items: [{ nodeName: 'edge-1' }] },
      },
      {
        error: { code: 'undefined_variable', pointer: '/sites/0/root' },
        nodes: { total: 1, items: [{ nodeName: 'edge-3' }] },
      },
    ])
  })

  it('says nothing of nodes outside the asker’s scope', async () => {
    const eu = await personWith(await threeNodes(), ['editor'], 'zone=eu')
    const effect = await effectOf(eu, 'default', text('/srv/new'))
    expect(effect.groups.items).toEqual([{ group: 'eu', nodes: 1, changed: 1 }])
  })

  it('is for who may read nodes, too: it names them', async () => {
    const service = await farm()
    await saveVersion(service.admin, 'default')
    const program = await withToken(service, service.admin, { permissions: ['configs:read'] })
    const asked = { text: text('/srv/new') }
    const refusal = await send(program, 'POST', '/configs/default/effect', asked)
    expect([refusal.statusCode, refusal.body]).toEqual([403, expect.stringContaining('nodes:read')])
  })

  it('is not asked of a text that no node would take, nor of a config that is not there', async () => {
    const { admin } = await farm()
    const asked = { text: '{ "workers": "many" }' }
    expect((await send(admin, 'POST', '/configs/none/effect', asked)).statusCode).toBe(404)
    await saveVersion(admin, 'default')
    const refusal = await send(admin, 'POST', '/configs/default/effect', asked)
    expect(refusal.statusCode).toBe(422)
    expect(refusal.json()).toMatchObject({ code: 'config_invalid' })
  })
})
