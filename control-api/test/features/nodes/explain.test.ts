// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// What a node would answer, before and after an edit, and who wrote the rule that makes it so.
import { describe, expect, it } from 'vitest'
import type { Explanation } from '../../../src/features/nodes/explain-schema.ts'
import { withToken } from '../../helper.ts'
import { addNode, farm, group, ok, pushed, saveVersion, send } from '../groups/farm.ts'

const text = (headers: object[], more: object = {}) =>
  `{
  "sites": [{ "hosts": ["a.test"], "root": "/srv/\${node.label.disk}",
    "headers": ${JSON.stringify(headers)}${Object.entries(more)
      .map(([key, value]) => `,\n    "${key}": ${JSON.stringify(value)}`)
      .join('')} }]
}
`
const A = { name: 'X-A', value: '1' }
const B = { name: 'X-B', value: '1' }

/** A node that runs version 2, and whose group adds a rule. */
async function nodeOnV2() {
  const service = await farm()
  const { admin } = service
  await group(admin, 'eu', { selector: 'zone=eu', mergePatch: { limits: { connections: 500 } } })
  const node = await addNode(service, 'edge-1', { labels: { zone: 'eu', disk: 'one' } })
  await node.connect()
  await saveVersion(admin, 'default', text([A]))
  await saveVersion(admin, 'default', text([B, A]), 1)
  await pushed(admin, 'default', 2)
  return { service, admin, node }
}

describe('what a node would answer', () => {
  it('is told with the line, the version and the author of each header', async () => {
    const { admin, node } = await nodeOnV2()
    const asked = { urls: ['http://a.test/', 'http://b.test/', 'http://a.test/#x'] }
    const said: Explanation = (await ok(admin, 'POST', `/nodes/${node.id}/explain`, asked)).json()
    expect(said.version).toEqual({ config: 'default', number: 2 })
    const [first, second, third] = said.items
    expect(first?.before).toMatchObject({ status: 200, files: ['/srv/one/index.html'], rules: [] })
    const from = (name: string) =>
      first?.before?.headers.find((header) => header.name === name)?.from
    expect(from('X-A')).toMatchObject({ line: 3, since: { number: 1, author: 'test-admin' } })
    expect(from('X-B')).toMatchObject({ line: 3, since: { number: 2, isOlder: false } })
    expect(from('Server')).toBeNull()
    expect([first?.after, second?.before?.status]).toEqual([null, 421])
    expect([third?.before, third?.error]).toEqual([null, expect.stringContaining('fragment')])
  })

  it('is held against what it would with another text', async () => {
    const { admin, node } = await nodeOnV2()
    const redirects = [{ match: '^/old$', to: '/new', status: 308 }]
    const asked = { urls: ['http://a.test/old'], text: text([A], { redirects }) }
    const said: Explanation = (await ok(admin, 'POST', `/nodes/${node.id}/explain`, asked)).json()
    expect(said.errors).toEqual([])
    expect(said.items[0]).toMatchObject({
      before: { status: 200, location: '', rules: [] },
      after: {
        ...{ status: 308, location: '/new' },
        rules: [{ pointer: '/sites/0/redirects/0', line: 4, from: null, since: null }],
      },
    })
  })

  it('names whose override a rule is', async () => {
    const { admin, node } = await nodeOnV2()
    const etag = String((await ok(admin, 'GET', '/groups/eu')).headers.etag)
    const sites = [{ hosts: ['a.test'], root: '/other', headers: [A] }]
    await ok(admin, 'PATCH', '/groups/eu', { mergePatch: { sites } }, etag)
    const asked = { urls: ['http://a.test/'], text: text([]) }
    const said: Explanation = (await ok(admin, 'POST', `/nodes/${node.id}/explain`, asked)).json()
    const header = said.items[0]?.after?.headers.find(({ name }) => name === 'X-A')
    expect(header?.from).toMatchObject({ line: 0, from: 'the override of the group eu' })
  })

  it('says what is wrong with a text, and still what the node has', async () => {
    const { admin, node } = await nodeOnV2()
    const texts = ['{', '{"sites": 1}', text([], { root2: 1 }), text([A]).replace('disk', 'none')]
    for (const one of texts) {
      const asked = { urls: ['http://a.test/'], text: one }
      const said: Explanation = (await ok(admin, 'POST', `/nodes/${node.id}/explain`, asked)).json()
      expect(said.errors.length, one).toBeGreaterThan(0)
      expect(said.items[0]).toMatchObject({ before: { status: 200 }, after: null })
    }
  })

  it('is nothing for a node that has nothing', async () => {
    const service = await farm()
    const node = await addNode(service, 'edge-1')
    const asked = { urls: ['http://a.test/'] }
    const said = (await ok(service.admin, 'POST', `/nodes/${node.id}/explain`, asked)).json()
    expect(said).toMatchObject({ version: null, items: [{ before: null, after: null }] })
  })

  it('is for who may see the node and its config, and for URLs', async () => {
    const { service, admin, node } = await nodeOnV2()
    const path = `/nodes/${node.id}/explain`
    const asked = { urls: ['http://a.test/'] }
    expect((await send(service.anonymous, 'POST', path, asked)).statusCode).toBe(401)
    const program = await withToken(service, admin, { permissions: ['nodes:read'] })
    const refusal = await send(program, 'POST', path, asked)
    expect(refusal.statusCode).toBe(403)
    for (const urls of [[], ['/x'], ['http://a.test/a b'], Array(51).fill('http://a.test/')]) {
      expect((await send(admin, 'POST', path, { urls })).statusCode).toBe(400)
    }
    const nobody = `/nodes/node_${'0'.repeat(26)}/explain`
    expect((await send(admin, 'POST', nobody, asked)).statusCode).toBe(404)
  })
})
