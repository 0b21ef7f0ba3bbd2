// SPDX-License-Identifier: MIT
// Versions of a release under names of their own on nodes: begun, told to the node, shown, and ended in every way.
import { describe, expect, test } from 'vitest'
import type { DesiredResponse, ReleaseVersion } from '../../../src/agent-protocol/messages.gen.ts'
import { sha256 } from '../../../src/base/ids.ts'
import { hostFor, urlFor } from '../../../src/features/nodes/previews/rules.ts'
import { enrolNode, example, type TestNode } from '../../agents/node-client.ts'
import { build, type Client } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { push } from '../releases/pushing.ts'
import { run } from './running-release.ts'

const TEMPLATE = 'v{version}-{release}.{node}.preview.example.org'
const HOUR_MS = 3_600_000

async function farm({ previewHost = TEMPLATE as string | null } = {}) {
  let nowMs = Date.now()
  const service = await build({ config: { previewHost }, now: () => nowMs })
  const { admin } = service
  const manifests = [
    await push(admin, 'www', { 'a.txt': 'one' }, null),
    await push(admin, 'www', { 'a.txt': 'two' }, 1),
  ]
  const node = await enrolNode(service)
  await node.hello()
  const first: ReleaseVersion = { name: 'www', number: 1, manifestSha256: manifests[0] ?? '' }
  const effective = await run(service, node, [first])
  const start = (body: object = { nodeId: node.id }, number = 2, who: Client = admin) =>
    who.inject({
      ...{ method: 'POST', url: `/api/v1/releases/www/versions/${number}/previews` },
      payload: body,
    })
  const end = (id: string, who: Client = admin) =>
    who.inject({ method: 'DELETE', url: `/api/v1/releases/www/previews/${id}` })
  const listed = async (who: Client = admin) => {
    const answer = await who.inject({ url: '/api/v1/releases/www/previews' })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<{ items: Record<string, unknown>[]; isOn: boolean }>()
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { ...{ service, admin, node, effective, manifests, start, end, listed, pass } }
}

test('its password is told once, also to who asks again with the same key', async () => {
  const { admin, node, listed } = await farm()
  const begin = () =>
    admin.inject({
      ...{ method: 'POST', url: '/api/v1/releases/www/versions/2/previews' },
      ...{ headers: { 'idempotency-key': 'a-preview' }, payload: { nodeId: node.id } },
    })
  const first = await begin()
  expect(first.statusCode, first.body).toBe(201)
  const { password } = first.json<{ password: string }>()
  expect((await begin()).body).not.toContain(password)
  expect((await listed()).items).toHaveLength(1)
})

/** What the node is told when it says that it has these. */
async function told(node: TestNode, previews: string[] | undefined, ahead: object[] = []) {
  const body = { ...example('desired.request'), have: null, waitMs: 0, ahead }
  const answer = await node.say('desired', { ...body, ...(previews && { previews }) })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<DesiredResponse>()
}

describe('a preview of a release', () => {
  test('has a name and a password, and the node is told of both and of the files', async () => {
    const { service, node, effective, manifests, start, listed } = await farm()
    const manifestSha256 = manifests[1] ?? ''
    await service.passTime(0)
    const answer = await start({ nodeId: node.id, hours: 2 })
    expect(answer.statusCode, answer.body).toBe(201)
    const { id, password, ...shown } = answer.json()
    const host = `v2-www.${node.name}.preview.example.org`
    expect(shown).toMatchObject({
      ...{ release: 'www', number: 2, host, url: `http://${host}:8080/`, username: 'preview' },
      ...{ node: { id: node.id, name: node.name }, error: null },
    })
    expect(Date.parse(shown.endsAt) - Date.parse(shown.createdAt)).toBe(2 * HOUR_MS)

    const { previews, ahead } = await told(node, [])
    expect(previews).toEqual([
      {
        ...{ id, name: 'www', manifestSha256, host, keySha256: sha256(password) },
        endsInMs: 2 * HOUR_MS,
      },
    ])
    expect(ahead).toEqual([{ name: 'www', number: 2, manifestSha256 }])
    const { items, isOn } = await listed()
    expect(isOn).toBe(true)
    expect(items).toMatchObject([{ id, state: 'fetching' }])
    expect(JSON.stringify(items)).not.toContain(password)
    // It has both: nothing is said, and it is shown.
    const held = [{ manifestSha256, state: 'held' }]
    expect(await told(node, [id], held)).not.toHaveProperty('previews')
    expect((await listed()).items).toMatchObject([{ id, state: 'shown' }])
    // It may fetch what it holds for that.
    const manifest = await service.agents.inject({
      url: `/agent/v1/releases/manifests/${manifestSha256}`,
      headers: { authorization: `Bearer ${node.credential}` },
    })
    expect(manifest.statusCode).toBe(200)
    // A new process has forgotten it.
    await node.hello({ effective })
    expect((await listed()).items).toMatchObject([{ state: 'fetching' }])
    const error = { code: 'resource_limit', message: 'no room' }
    await told(node, [id], [{ manifestSha256, state: 'refused', error }])
    expect((await listed()).items).toMatchObject([{ state: 'refused', error }])
    // A program that is too old says nothing of previews.
    expect(await told(node, undefined, held)).not.toHaveProperty('previews')
    expect((await listed()).items).toMatchObject([{ state: 'unable' }])
  })

  test('is no part of what the node runs', async () => {
    const { service, admin, node, start } = await farm()
    const before = (await node.show()).sync
    await start()
    expect((await node.show()).sync).toEqual(before)
    expect((await admin.inject({ url: '/api/v1/rollouts' })).json().items).toEqual([])
    await service.passTime(0)
    expect((await told(node, [])).assignment?.generation ?? 1).toBe(1)
  })

  test('ends by hand, and the node hears of it', async () => {
    const { admin, node, start, end, listed } = await farm()
    const { id } = (await start()).json()
    expect((await end('preview_01jdq8z6v9k3m5n7p2r4t6w8xa')).statusCode).toBe(404)
    expect((await end(id)).statusCode).toBe(204)
    expect((await end(id)).statusCode).toBe(404)
    expect((await listed()).items).toEqual([])
    expect((await told(node, [id])).previews).toEqual([])
    const { items } = (await admin.inject({ url: '/api/v1/audit?kind=release' })).json()
    const actions = items.map((one: { action: string }) => one.action)
    expect(actions.slice(0, 2)).toEqual(['preview-ended', 'preview-started'])
    // A new one has another password.
    expect((await start()).statusCode).toBe(201)
  })

  test('ends by time, at once for who asks and then for good', async () => {
    const { service, node, start, listed, pass } = await farm()
    const { id } = (await start({ nodeId: node.id, hours: 1 })).json()
    pass(HOUR_MS - 1)
    await service.endPreviews()
    expect((await listed()).items).toHaveLength(1)
    pass(1)
    expect((await listed()).items).toEqual([])
    expect((await told(node, [id])).previews).toEqual([])
    await service.endPreviews()
    const rows = await service.services.db.selectFrom('release_previews').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('ends with its version', async () => {
    const { admin, node, start, listed } = await farm()
    await push(admin, 'www', { 'a.txt': 'three' }, 2)
    const { id } = (await start()).json()
    const removed = await admin.inject({
      ...{ method: 'DELETE', url: '/api/v1/releases/www/versions/2' },
    })
    expect(removed.statusCode, removed.body).toBe(204)
    expect((await listed()).items).toEqual([])
    await expect.poll(async () => (await told(node, [id])).previews).toEqual([])
  })

  test('ends with its node', async () => {
    const { service, admin, node, start } = await farm()
    await start()
    await admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${node.id}` })
    await service.endPreviews()
    const rows = await service.services.db.selectFrom('release_previews').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('is refused with the reason', async () => {
    const { service, admin, node, start } = await farm()
    const refusal = async (body?: object, number?: number) => {
      const answer = await start(body, number)
      return [answer.statusCode, answer.json().code]
    }
    expect(await refusal({ nodeId: 'node_01jdq8z6v9k3m5n7p2r4t6w8xa' })).toEqual([
      ...[404, 'node_not_found'],
    ])
    expect(await refusal(undefined, 7)).toEqual([404, 'version_not_found'])
    expect(await refusal({ nodeId: node.id, hours: 169 })).toEqual([400, 'invalid_request'])
    const other = await enrolNode(service)
    await other.hello()
    expect(await refusal({ nodeId: other.id })).toEqual([409, 'preview_not_served'])
    await push(admin, 'www', { 'a.txt': 'three' }, 2)
    await push(admin, 'www', { 'a.txt': 'four' }, 3)
    await push(admin, 'www', { 'a.txt': 'five' }, 4)
    for (const number of [2, 3, 4]) expect((await start(undefined, number)).statusCode).toBe(201)
    expect(await refusal(undefined, 3)).toEqual([409, 'preview_exists'])
    expect(await refusal(undefined, 5)).toEqual([409, 'too_many_previews'])
  })

  test('never has the name of a site', async () => {
    const { start, node, service, manifests } = await farm({
      previewHost: '{release}{version}.example.org',
    })
    const first: ReleaseVersion = { name: 'www', number: 1, manifestSha256: manifests[0] ?? '' }
    await run(service, node, [first], 'www2.example.org')
    const answer = await start()
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'preview_host_taken'])
    // That a pattern of the config has it does not matter: nobody visits it.
    expect((await start(undefined, 1)).statusCode).toBe(201)
  })

  test('needs a name that somebody chose', async () => {
    const { start, listed } = await farm({ previewHost: null })
    const answer = await start()
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'previews_off'])
    expect(await listed()).toEqual({ items: [], isOn: false })
  })

  test('is shown and begun within one’s scope only', async () => {
    const { service, node, start, end, listed } = await farm()
    const { id } = (await start()).json()
    const elsewhere = await personWith(service, ['operator'], 'zone = nowhere')
    expect((await listed(elsewhere)).items).toEqual([])
    expect((await start({ nodeId: node.id }, 1, elsewhere)).statusCode).toBe(404)
    expect((await end(id, elsewhere)).statusCode).toBe(404)
    const editor = await service.as('editor')
    expect((await start({ nodeId: node.id }, 1, editor)).statusCode).toBe(403)
    expect((await listed(editor)).items).toHaveLength(1)
  })
})

describe('the name of a preview', () => {
  test.each([
    ['v2-www.edge-1.p.example', { release: 'www', number: 2, node: 'edge-1' }],
    [
      'v2-my-site.edge-1-example-org.p.example',
      {
        ...{ release: 'my_site', number: 2, node: 'Edge-1.example.org.' },
      },
    ],
    [null, { release: 'w'.repeat(63), number: 2, node: 'edge-1' }],
  ])('%s', (host, of) => {
    expect(hostFor('v{version}-{release}.{node}.p.example', of)).toBe(host)
  })

  test('is asked for by TLS where the node speaks it, and at a port that is known', () => {
    const plain = { address: '', port: 80, scheme: 'http' } as const
    const tls = { address: '', port: 443, scheme: 'https' } as const
    expect(urlFor({ sites: [plain, tls], admin: null }, 'a.example')).toBe('https://a.example/')
    expect(urlFor({ sites: [{ ...tls, port: 8443 }], admin: null }, 'a.example')).toBe(
      'https://a.example:8443/',
    )
    expect(urlFor({ sites: [plain], admin: null }, 'a.example')).toBe('http://a.example/')
    expect(urlFor({ sites: [{ ...plain, port: 0 }], admin: null }, 'a.example')).toBeNull()
  })
})
