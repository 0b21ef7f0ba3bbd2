// SPDX-License-Identifier: MIT
// From the wish to the nodes: the service, nodes that speak to it, and Pebble, which refuses half of all nonces.
import { expect, test } from 'vitest'
import { askForOrder, findManaged } from '../../src/acme/managed-store.ts'
import { farm, order, reaches, saveVersion } from '../features/rollouts/farm.ts'
import { serveTokens, startPebble } from './pebble.ts'
import { config, knows, LOOK, latest, manage, orders, state } from './pebble-farm.ts'

const plain = (port: number) => `{
  "listen": [{ "address": "127.0.0.1", "port": ${port} }],
  "sites": [{ "hosts": ["shop.example"], "root": "/srv/www" }]
}
`
const withTls = (port: number) =>
  plain(port)
    .replace(`${port} }`, `${port}, "tls": true }`)
    .replace('"/srv/www"', '"/srv/www", "certificates": [{ "name": "shop" }]')

test('a certificate is ordered, served, ordered anew, and rolled out by itself', async () => {
  const pebble = await startPebble()
  const service = await farm(['edge-1', 'edge-2', 'edge-3'], { config })
  const { admin, nodes, services, acme } = service
  await saveVersion(admin, plain(8081), 1)
  const first = (await order(admin, { version: 2 })).json()
  await reaches(service, first.id, 'succeeded')
  const [edge] = nodes
  if (!edge) throw new Error()
  await serveTokens(pebble.httpPort, () => edge.challenges)
  await knows(service, pebble)
  await manage(service, 'shop', {})
  await expect.poll(() => state(service, 'shop'), LOOK).toBe('issued')
  expect(await latest(service, 'shop')).toBe(1)
  // Nobody answers for what is over.
  await expect.poll(() => nodes.map(({ challenges }) => challenges.size), LOOK).toEqual([0, 0, 0])

  await saveVersion(admin, withTls(8443), 2)
  const second = (await order(admin, { version: 3, message: 'TLS' })).json()
  await reaches(service, second.id, 'succeeded')
  const row = await findManaged(services.db, 'shop')
  if (!row) throw new Error()
  const nowMs = Date.now()
  await services.write((unit) => askForOrder(unit, row, { actor: 'ben', nowMs }))
  void acme.look()
  await expect.poll(() => latest(service, 'shop'), LOOK).toBe(2)
  const rollouts = async () => (await admin.inject({ url: '/api/v1/rollouts' })).json().items
  await expect
    .poll(async () => (await rollouts())[0], LOOK)
    .toMatchObject({ config: 'default', version: 3, author: 'acme' })
  await expect.poll(() => nodes[0]?.effective?.certificates?.[0]?.version, LOOK).toBe(2)
  // Written down once the rollout has begun, which its nodes may hear of before.
  const left = async () => (await findManaged(services.db, 'shop'))?.roll_out_left
  await expect.poll(left, LOOK).toBeNull()
  expect(await orders(service, 'shop')).toMatchObject([
    { state: 'issued', started_by: 'ben', version: 2 },
    { state: 'issued', started_by: 'ana', version: 1 },
  ])
}, 90_000)

test('a node that serves the name and is not there holds the order up, and is named; the account is bound to one of the CA', async () => {
  const hmacKey = Buffer.alloc(32, 7).toString('base64url')
  const pebble = await startPebble({ externalAccounts: { 'kid-1': hmacKey } })
  const service = await farm(['edge-1', 'edge-2'], { config })
  await saveVersion(service.admin, plain(8081), 1)
  const first = (await order(service.admin, { version: 2 })).json()
  await reaches(service, first.id, 'succeeded')
  const [edge, away] = service.nodes
  if (!edge || !away) throw new Error()
  await away.disconnect()
  await serveTokens(pebble.httpPort, () => edge.challenges)
  await knows(service, pebble, { keyId: 'kid-1', hmacKey })
  await manage(service, 'shop', { key_type: 'rsa-2048' })
  await expect
    .poll(async () => JSON.parse((await orders(service, 'shop'))[0]?.waiting_for ?? '{}'), LOOK)
    .toMatchObject({ nodeIds: [away.id], more: 0 })
  expect(await state(service, 'shop')).toBe('publishing')
  await away.connect()
  await expect.poll(() => state(service, 'shop'), LOOK).toBe('issued')
}, 90_000)
