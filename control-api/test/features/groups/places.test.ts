// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// What is wrong with a node's text is told in places of the text that somebody wrote, through both
// overrides and the variables, wherever it is found: before a rollout, by a dry run, or by the node.
import { describe, expect, it } from 'vitest'
import type { Impact } from '../../../src/api-shapes/impact.ts'
import { addNode, etagOf, type Farm, farm, group, ok, push, saveVersion } from './farm.ts'

const AUTHORS = `{
  // The port is the same everywhere.
  "listen": [{ "address": "\${node.label.address}", "port": 8080 }],
  "limits": { "connections": 100, "headerSeconds": 10 }, // modest
  "sites": [{ "hosts": ["*"], "root": "/srv/www" }, /* and */ { "hosts": ["a"], "root": "\${node.label.root}" }]
}
`
/** Both add lines before the places in question, and take some away. */
const GROUPS = { io: { timeoutSeconds: 9 }, limits: { connections: null, bodyBytes: 1000 } }
const NODES = { limits: { headerSeconds: null, connectionsPerAddress: 3 }, workers: 1 }

type Place = { line: number; column: number; endLine: number; endColumn: number }
const wordsAt = (text: string, { line, column, endColumn }: Place) =>
  (text.split('\n')[line - 1] ?? '').slice(column - 1, endColumn - 1)
const read = (errors: (Place & { pointer: string; code: string })[]) =>
  errors.map((error) => [error.pointer, error.line, wordsAt(AUTHORS, error), error.code])

async function nodeWith(service: Farm, labels: Record<string, string>) {
  await saveVersion(service.admin, 'default', AUTHORS)
  await group(service.admin, 'edge', { selector: 'zone', mergePatch: GROUPS })
  return await addNode(service, 'edge-1', {
    labels: { zone: 'eu', ...labels },
    mergePatch: NODES,
  })
}

describe('an error in a node’s text', () => {
  it('that a variable made stands where the author wrote the variable', async () => {
    const service = await farm()
    const { admin } = service
    const node = await nodeWith(service, { address: 'nonsense', root: 'relative' })
    const expected = [
      ['/listen/0/address', 3, '"${node.label.address}"', 'invalid_value'],
      ['/sites/1/root', 5, '"${node.label.root}"', 'invalid_value'],
    ]
    const refused = await push(admin, 'default', 1)
    expect(refused.statusCode).toBe(422)
    expect(read(refused.json().errors)).toEqual(expected)
    const planned = await ok(admin, 'POST', '/rollouts?dryRun=1', {
      config: 'default',
      version: 1,
    })
    expect(read(planned.json().nodes.items[0].errors)).toEqual(expected)
    expect(node.ran).toEqual([])
  })

  it('that has no value stands at the variable itself, not at the text around it', async () => {
    const service = await farm()
    await nodeWith(service, { address: '127.0.0.1' })
    const refused = await push(service.admin, 'default', 1)
    expect(read(refused.json().errors)).toEqual([
      ['/sites/1/root', 5, '${node.label.root}', 'undefined_variable'],
    ])
  })

  it('that an override made names whose it is; a name the author wrote stays the author’s', async () => {
    const service = await farm()
    const { admin } = service
    const node = await nodeWith(service, { address: '127.0.0.1', root: '/srv/a' })
    const at = '/groups/edge'
    const impactOf = async (path: string, mergePatch: object): Promise<Impact> => {
      const etag = await etagOf(admin, path)
      const method = path === at ? 'PATCH' : 'PUT'
      return (await ok(admin, method, `${path}?dryRun=1`, { mergePatch }, etag)).json()
    }
    expect((await push(admin, 'default', 1)).statusCode).toBe(201)
    const io = { timeoutSeconds: '${node.label.seconds}' }
    const ofGroup = await impactOf(at, { ...GROUPS, io })
    expect(ofGroup.invalid.items[0]?.errors).toMatchObject([
      {
        pointer: '/io/timeoutSeconds',
        line: 0,
        code: 'undefined_variable',
        hint: expect.stringContaining('this value comes from the override of the group edge'),
      },
    ])
    const ofNode = await impactOf(`/nodes/${node.id}/override`, { sites: [{ root: 'relative' }] })
    const [error] = ofNode.invalid.items[0]?.errors ?? []
    expect(error).toMatchObject({
      line: 0,
      hint: expect.stringContaining('this value comes from the node’s override'),
    })
  })

  it('that the node itself found stands in the author’s text too', async () => {
    const service = await farm()
    const { admin } = service
    const node = await nodeWith(service, { address: '127.0.0.1', root: '/srv/of-edge-1' })
    const refusal = { kind: 'nack', code: 'missing_file', message: 'no such folder' } as const
    node.conduct = { ...refusal, at: '"/srv/of-edge-1"' }
    await node.connect()
    const { id } = (await push(admin, 'default', 1)).json()
    const task = async () => (await ok(admin, 'GET', `/rollouts/${id}/tasks`)).json().items[0]
    await expect.poll(async () => (await task()).errors.length).toBe(1)
    expect(read((await task()).errors)).toEqual([['', 5, '"${node.label.root}"', 'missing_file']])
  })
})
