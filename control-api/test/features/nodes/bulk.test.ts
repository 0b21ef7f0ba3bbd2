// SPDX-License-Identifier: MIT
// The same change of many nodes, through the API.
import { describe, expect, test } from 'vitest'
import { enrolNode } from '../../agents/node-client.ts'
import { type Built, build, type Client } from '../../helper.ts'
import { personWith } from '../../person.ts'

const URL = '/api/v1/nodes/actions/change'
const NOBODY = 'node_01jd4q6v2m8w3x5y7z9abcdefg'

async function farm(count = 3) {
  const service = await build()
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push((await enrolNode(service)).id)
  return { service, ids }
}

const ask = (client: Client, nodeIds: readonly string[], change: object, query = '') =>
  client.inject({ method: 'POST', url: `${URL}${query}`, payload: { nodeIds, change } })
const outcomes = async (response: ReturnType<typeof ask>) =>
  (await response)
    .json()
    .results.map(({ outcome, code }: { outcome: string; code: string }) =>
      code === null ? outcome : `${outcome}: ${code}`,
    )
const nodes = async ({ admin }: Built) =>
  (await admin.inject({ url: '/api/v1/nodes' })).json().items
const deeds = async ({ admin }: Built) =>
  (await admin.inject({ url: '/api/v1/audit?kind=node' }))
    .json()
    .items.map(({ action, actor }: { action: string; actor: string }) => `${action} by ${actor}`)
    .filter((one: string) => one === 'changed by test-admin')

test('labels of many, each with its result and its row in the audit', async () => {
  const { service, ids } = await farm()
  const change = { kind: 'label', set: { rack: 'b2' } }
  expect(await outcomes(ask(service.admin, [...ids, NOBODY], change))).toEqual([
    ...ids.map(() => 'changed'),
    'refused: node_not_found',
  ])
  const labelled = await nodes(service)
  expect(labelled.map(({ labels }: { labels: object }) => labels)).toEqual([
    ...ids.map(() => expect.objectContaining({ rack: 'b2' })),
  ])
  expect(await deeds(service)).toEqual(ids.map(() => 'changed by test-admin'))
  expect(await outcomes(ask(service.admin, ids, change))).toEqual(ids.map(() => 'unchanged'))
  expect(await deeds(service)).toHaveLength(ids.length)
})

test('what two change at once of the same nodes is both there, and who saw neither is told', async () => {
  const { service, ids } = await farm(2)
  const [first = ''] = ids
  const url = `/api/v1/nodes/${first}`
  const { etag } = (await service.admin.inject({ url })).headers
  const all = ['a', 'b', 'c'].map((key) =>
    outcomes(ask(service.admin, ids, { kind: 'label', set: { [key]: key } })),
  )
  expect(await Promise.all(all)).toEqual(Array(3).fill(['changed', 'changed']))
  for (const { labels } of await nodes(service))
    expect(labels).toMatchObject({ a: 'a', b: 'b', c: 'c' })
  const headers = { 'if-match': String(etag) }
  const payload = { labels: { mine: 'alone' } }
  const late = await service.admin.inject({ method: 'PATCH', url, payload, headers })
  expect(late.statusCode).toBe(412)
})

test('a dry run says who would move where, and changes nothing', async () => {
  const { service, ids } = await farm()
  const group = { name: 'downloads', selector: 'role=downloads' }
  await service.admin.inject({ method: 'POST', url: '/api/v1/groups', payload: group })
  const change = { kind: 'move', group: 'downloads' }
  const { results, impact } = (
    await ask(service.admin, ids.slice(0, 2), change, '?dryRun=1')
  ).json()
  expect(results[0]).toMatchObject({ outcome: 'changed', labels: { role: 'downloads' } })
  expect(impact.moves).toMatchObject({
    total: 2,
    items: [{ to: 'downloads' }, { to: 'downloads' }],
  })
  const groupsNow = async () => (await nodes(service)).map((one: { group: string }) => one.group)
  expect(await groupsNow()).toEqual(['default', 'default', 'default'])
  await ask(service.admin, ids.slice(0, 2), change)
  expect((await groupsNow()).toSorted()).toEqual(['default', 'downloads', 'downloads'])
})

test('cordoned, uncordoned and decommissioned, as one by one', async () => {
  const { service, ids } = await farm()
  const [first = '', ...others] = ids
  await ask(service.admin, ids, { kind: 'cordon', reason: 'new disks' })
  expect((await nodes(service)).map((one: { cordon: object }) => one.cordon)).toEqual(
    ids.map(() => expect.objectContaining({ by: 'test-admin', reason: 'new disks' })),
  )
  await ask(service.admin, others, { kind: 'uncordon' })
  expect(await outcomes(ask(service.admin, ids, { kind: 'uncordon' }))).toEqual([
    'changed',
    ...others.map(() => 'unchanged'),
  ])
  await ask(service.admin, [first], { kind: 'decommission' })
  expect(await nodes(service)).toHaveLength(others.length)
  expect(await outcomes(ask(service.admin, [first], { kind: 'decommission' }))).toEqual([
    'refused: node_not_found',
  ])
})

test('with the same Idempotency-Key it is answered once more and done once', async () => {
  const { service, ids } = await farm(1)
  const request = {
    ...{ method: 'POST' as const, url: URL, headers: { 'idempotency-key': 'once' } },
    payload: { nodeIds: ids, change: { kind: 'decommission' } },
  }
  const first = await service.admin.inject(request)
  const second = await service.admin.inject(request)
  expect(second.json()).toEqual(first.json())
  expect(second.headers['idempotent-replay']).toBe('true')
})

describe('who may', () => {
  test('operators and administrators; nobody else', async () => {
    const { service, ids } = await farm(1)
    const change = { kind: 'uncordon' }
    expect((await ask(service.anonymous, ids, change)).statusCode).toBe(401)
    expect((await ask(await service.as('editor'), ids, change)).statusCode).toBe(403)
    expect((await ask(await service.as('operator'), ids, change)).statusCode).toBe(200)
  })

  test('within a scope: others are as if they were not there, and none is put outside', async () => {
    const { service, ids } = await farm(2)
    const [own = '', other = ''] = ids
    await ask(service.admin, [own], { kind: 'label', set: { zone: 'eu' } })
    await ask(service.admin, [other], { kind: 'label', set: { zone: 'us' } })
    const client = await personWith(service, ['operator'], 'zone=eu')
    const cordon = { kind: 'cordon', reason: 'mine' }
    const { results } = (await ask(client, ids, cordon)).json()
    expect(results).toMatchObject([
      { outcome: 'changed' },
      { outcome: 'refused', code: 'node_not_found', nodeName: null },
    ])
    const away = { kind: 'label', set: { zone: 'us' } }
    expect(await outcomes(ask(client, [own], away))).toEqual(['refused: outside_scope'])
  })
})

test('what is no order is refused whole', async () => {
  const { service, ids } = await farm(1)
  const code = async (nodeIds: readonly string[], change: object) =>
    (await ask(service.admin, nodeIds, change)).json().code
  expect(await outcomes(ask(service.admin, ids, { kind: 'label' }))).toEqual(['unchanged'])
  expect(await code([], { kind: 'uncordon' })).toBe('invalid_request')
  expect(await code([...ids, ...ids], { kind: 'uncordon' })).toBe('invalid_request')
  expect(await code(ids, { kind: 'cordon', reason: ' ' })).toBe('invalid_request')
  expect(await code(ids, { kind: 'move', group: 'nowhere' })).toBe('no_such_group')
})
