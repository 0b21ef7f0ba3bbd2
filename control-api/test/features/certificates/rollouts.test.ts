// SPDX-License-Identifier: MIT
// A renewed certificate goes to the farm as a config does: by a rollout, wave after wave, and back again.
import { expect, test } from 'vitest'
import { makeChain } from '../../certificates/make.ts'
import type { Built } from '../../helper.ts'
import {
  act,
  addNode,
  BY_WAVES,
  type Farm,
  farm,
  get,
  order,
  reaches,
  saveVersion,
} from '../rollouts/farm.ts'

const text = `{
  "listen": [{ "address": "127.0.0.1", "port": 8443, "tls": true }],
  "sites": [{ "hosts": ["shop.example"], "root": "/srv/www", "certificates": [{ "name": "shop" }] }]
}
`
async function put({ admin }: Built, hosts = ['shop.example']) {
  const { chain, key } = await makeChain(hosts)
  const isNew = (await admin.inject({ url: '/api/v1/certificates/shop' })).statusCode === 404
  const made = await admin.inject({
    method: 'POST',
    url: `/api/v1/certificates${isNew ? '' : '/shop/versions'}`,
    headers: isNew ? {} : { 'if-match': '*' },
    payload: { ...(isNew && { name: 'shop' }), chain, key },
  })
  expect(made.statusCode, made.body).toBe(201)
}
const served = ({ nodes }: Farm) =>
  nodes.map(({ effective }) => effective?.certificates?.[0]?.version)
const released = async ({ admin }: Farm) =>
  (await admin.inject({ url: '/api/v1/certificates/shop' })).json().releasedVersion

async function servingShop(): Promise<Farm> {
  const service = await farm(['edge-1', 'edge-2', 'edge-3'])
  await put(service)
  await saveVersion(service.admin, text, 1)
  const first = (await order(service.admin, { version: 2, message: 'TLS' })).json()
  await reaches(service, first.id, 'succeeded')
  expect(served(service)).toEqual([1, 1, 1])
  return service
}

test('the same version of the config brings a new version of the certificate, by waves, and a newcomer gets what was proved', async () => {
  const service = await servingShop()
  expect(await released(service)).toBe(1)
  await put(service)
  // Nobody is given it unasked, not even a node that joins.
  await addNode(service, 'edge-4')
  await expect.poll(() => served(service)).toEqual([1, 1, 1, 1])
  const configs = async () =>
    (await service.admin.inject({ url: '/api/v1/certificates/shop/configs' })).json().items
  expect(await configs()).toEqual([{ config: 'default', version: 2, nodes: 4, behind: 4 }])
  const dry = (await order(service.admin, { version: 2, message: 'renew' }, '?dryRun=1')).json()
  expect(dry.nodes.items.map(({ changes }: { changes: boolean }) => changes)).toEqual([
    true,
    true,
    true,
    true,
  ])
  const renewal = await order(service.admin, { version: 2, message: 'renew', strategy: BY_WAVES })
  expect(renewal.statusCode, renewal.body).toBe(201)
  await reaches(service, renewal.json().id, 'succeeded')
  expect(served(service)).toEqual([2, 2, 2, 2])
  expect(await released(service)).toBe(2)
  expect(await configs()).toEqual([{ config: 'default', version: 2, nodes: 4, behind: 0 }])
  // The text is the same: only the certificate came.
  expect(new Set(service.nodes.flatMap(({ ran }) => ran))).toEqual(new Set([text]))
  const again = (await order(service.admin, { version: 2, message: 'again' }, '?dryRun=1')).json()
  expect(again.nodes.items.map(({ changes }: { changes: boolean }) => changes)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('a node that refuses it stops the rollout, and the revert brings the old certificate back to who has it', async () => {
  const service = await servingShop()
  await put(service)
  const [, ...others] = service.nodes
  for (const node of others) {
    node.conduct = { kind: 'nack', code: 'tls_material', message: 'the chain cannot be used' }
  }
  const renewal = await order(service.admin, {
    ...{ version: 2, message: 'renew', strategy: BY_WAVES },
  })
  const paused = await reaches(service, renewal.json().id, 'paused')
  expect(served(service)).toEqual([2, 1, 1])
  expect(paused.reason).toContain('tls_material')
  for (const node of others) node.conduct = { kind: 'good' }
  expect((await act(service.admin, paused, 'revert')).statusCode).toBe(200)
  await reaches(service, paused.id, 'reverted')
  expect(served(service)).toEqual([1, 1, 1])
  expect(await released(service)).toBe(1)
})

test('a renewal that forgets a host is refused by the plan, with its place', async () => {
  const service = await servingShop()
  await put(service, ['other.example'])
  const refused = await order(service.admin, { version: 2, message: 'renew' })
  expect(refused.json()).toMatchObject({
    ...{ status: 422, code: 'rollout_invalid' },
    errors: [{ pointer: '/sites/0/hosts/0', line: 3, code: 'host_not_covered' }],
  })
  const url = '/api/v1/certificates/shop/actions/roll-out'
  const { items } = (await service.admin.inject({ method: 'POST', url })).json()
  expect(items).toMatchObject([
    { config: 'default', version: 2, rolloutId: null, refused: expect.stringContaining('edge-1') },
  ])
})

test('a certificate that nodes were told to serve is not deleted, though no config names it any more', async () => {
  const service = await servingShop()
  await saveVersion(
    service.admin,
    text.replace(', "tls": true', '').replace('[{ "name": "shop" }]', '[]'),
    2,
  )
  const remove = () =>
    service.admin.inject({
      method: 'DELETE',
      url: '/api/v1/certificates/shop',
      headers: { 'if-match': '*' },
    })
  const refused = (await remove()).json()
  expect(refused.detail).toContain(
    'version 2 of the config "default" names it; 3 nodes were told to serve it',
  )
  const without = (await order(service.admin, { version: 3, message: 'plain' })).json()
  await reaches(service, without.id, 'succeeded')
  expect((await remove()).statusCode).toBe(204)
})

test('is rolled out by its name, to each node in the version of the config it runs', async () => {
  const service = await servingShop()
  const rollOut = async () => {
    const url = '/api/v1/certificates/shop/actions/roll-out'
    const answer = await service.admin.inject({ method: 'POST', url })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().items
  }
  expect(await rollOut()).toEqual([])
  // One node goes ahead to another version of the config.
  await saveVersion(service.admin, `${text}// ahead\n`.replace('/srv/www', '/srv/new'), 2)
  const [first] = service.nodes
  if (!first) throw new Error('no node')
  const ahead = (
    await order(service.admin, { version: 3, message: 'ahead', nodes: [first.id] })
  ).json()
  await reaches(service, ahead.id, 'succeeded')
  await put(service)
  const started = await rollOut()
  expect(started).toMatchObject([
    { config: 'default', version: 2, refused: null },
    { config: 'default', version: 3, refused: null },
  ])
  const viewer = await service.as('viewer')
  const url = '/api/v1/certificates/shop/actions/roll-out'
  expect((await viewer.inject({ method: 'POST', url })).statusCode).toBe(403)
  const tasksOf = async (id: string) =>
    (await get(service, id)).tasks.map(({ nodeName }) => nodeName)
  expect(await tasksOf(started[0].rolloutId)).toEqual(['edge-2', 'edge-3'])
  expect(await tasksOf(started[1].rolloutId)).toEqual(['edge-1'])
  // What a certificate breaks shows in handshakes; that nobody came by keeps none from its renewal.
  const { policy } = await get(service, started[0].rolloutId)
  expect(policy.onNoData).toBe('continue')
  expect(policy.gates).toContainEqual({ metric: 'handshakeFailures', max: 0.01, onFail: 'revert' })
  expect(policy.gates.map(({ metric }) => metric)).toContain('errors5xx')
})

test('a certificate that a waiting rollout will bring is not deleted', async () => {
  const service = await farm(['edge-1'])
  await put(service)
  await saveVersion(service.admin, text, 1)
  const startAt = new Date(Date.now() + 3_600_000).toISOString()
  const later = await order(service.admin, { version: 2, message: 'tonight', startAt })
  expect(later.statusCode, later.body).toBe(201)
  await saveVersion(
    service.admin,
    text.replace(', "tls": true', '').replace('[{ "name": "shop" }]', '[]'),
    2,
  )
  const url = '/api/v1/certificates/shop'
  const refused = await service.admin.inject({
    method: 'DELETE',
    url,
    headers: { 'if-match': '*' },
  })
  expect(refused.json().detail).toContain(`the rollout ${later.json().id} brings it`)
})

test('a version that was well before is not brought back faster when it brings a new certificate', async () => {
  const service = await servingShop()
  const isFast = async () =>
    (await order(service.admin, { version: 2, message: 'x', strategy: {} }, '?dryRun=1')).json()
      .isFastPath
  await saveVersion(service.admin, `${text}// another\n`, 2)
  expect(await isFast()).toBe(true)
  await put(service)
  expect(await isFast()).toBe(false)
})

test('a renewal that was frozen at the canary is given to it again, and proven there before others get it', async () => {
  const service = await servingShop()
  await put(service)
  const watched = { ...BY_WAVES, soakSeconds: 3_600, maxSoakSeconds: 3_600 }
  const renew = async () =>
    (await order(service.admin, { version: 2, message: 'renew', strategy: watched })).json()
  const soaks = (id: string) =>
    expect.poll(async () => (await get(service, id)).phase).toBe('soaking')
  const first = await renew()
  await soaks(first.id)
  expect((await act(service.admin, await get(service, first.id), 'freeze')).statusCode).toBe(200)
  expect(served(service)).toEqual([2, 1, 1])
  // The version of the config is released; this certificate with it nobody has proved.
  const second = await renew()
  await soaks(second.id)
  const view = await get(service, second.id)
  expect(view).toMatchObject({ state: 'running', wave: 0 })
  expect(served(service)).toEqual([2, 1, 1])
  expect(await released(service)).toBe(1)
})
