// SPDX-License-Identifier: MIT
// GET /releases/{name}/nodes, from nodes that were told to run a release and say that they do.
import { describe, expect, test } from 'vitest'
import type { ReleaseVersion } from '../../../src/agent-protocol/messages.gen.ts'
import { enrolNode, type TestNode } from '../../agents/node-client.ts'
import { build, type Client } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { push } from '../releases/pushing.ts'
import { run, tell, version } from './running-release.ts'

async function farm(versions: (ReleaseVersion[] | null)[]) {
  const service = await build()
  await push(service.admin, 'www', { 'a.txt': 'one' }, null)
  const nodes: TestNode[] = []
  for (const [at, releases] of versions.entries()) {
    const node = await enrolNode(service, { labels: { zone: at % 2 === 0 ? 'eu' : 'us' } })
    await node.hello()
    if (releases) await run(service, node, releases)
    nodes.push(node)
  }
  return { service, nodes, admin: service.admin }
}

const listed = async (who: Client, query = '') => {
  const answer = await who.inject({ url: `/api/v1/releases/www/nodes${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ items: Record<string, unknown>[]; nextCursor: string | null }>()
}

describe('the nodes of a release', () => {
  test('are those that run it, with their version and where they are asked', async () => {
    const { service, nodes, admin } = await farm([
      [version('www', 3)],
      [version('docs', 1)],
      null,
      [version('docs', 1), version('www', 2)],
    ])
    const [first, , third, fourth] = nodes as [TestNode, TestNode, TestNode, TestNode]
    const urls = ['http://edge-1.example.org:8080/']
    expect((await listed(admin)).items).toEqual([
      { id: first.id, name: first.name, version: 3, urls, host: 'a.example' },
      { id: fourth.id, name: fourth.name, version: 2, urls, host: 'a.example' },
    ])
    expect((await listed(admin, '?version=2')).items).toMatchObject([{ name: fourth.name }])
    // What it was told is not what it runs.
    await tell(service, third, [version('www', 3)], 'b.example')
    expect((await listed(admin)).items).toHaveLength(2)
    await run(service, third, [version('www', 3)], '*')
    expect((await listed(admin, '?version=3')).items).toMatchObject([
      { name: first.name },
      { name: third.name, host: null },
    ])
    const none = await admin.inject({ url: '/api/v1/releases/nobody/nodes' })
    expect(none.json()).toMatchObject({ status: 404, code: 'release_not_found' })
  })

  test('come in pages, each once', async () => {
    const { admin } = await farm(
      [1, 2, 1, 1, 2].map((number) => [version(number === 1 ? 'www' : 'docs', 1)]),
    )
    const first = await listed(admin, '?limit=2')
    expect(first.items).toHaveLength(2)
    const second = await listed(admin, `?limit=2&cursor=${first.nextCursor}`)
    expect([second.items.length, second.nextCursor]).toEqual([1, null])
    const names = [...first.items, ...second.items].map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
    const wrong = await admin.inject({ url: '/api/v1/releases/www/nodes?cursor=x' })
    expect(wrong.statusCode).toBe(400)
  })

  test('are those that who asks may see', async () => {
    const { service, nodes } = await farm([[version('www', 1)], [version('www', 1)]])
    const person = await personWith(service, ['viewer'], 'zone = us')
    expect((await listed(person)).items).toMatchObject([{ name: nodes[1]?.name }])
    const answer = await service.anonymous.inject({ url: '/api/v1/releases/www/nodes' })
    expect(answer.statusCode).toBe(401)
  })
})
