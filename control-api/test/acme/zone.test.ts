// SPDX-License-Identifier: MIT
// DNS-01 from the wish to the certificate: the service, a program that keeps a zone, and Pebble.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { insertDnsWebhook, sealDnsSecret } from '../../src/acme/dns-webhook-store.ts'
import { deleteManaged } from '../../src/acme/managed-store.ts'
import { ordersToClean } from '../../src/acme/order-store.ts'
import { openSecretBox } from '../../src/base/secret-box.ts'
import { build } from '../helper.ts'
import { startPebble } from './pebble.ts'
import { config, knows, LOOK, manage, orders, type Pebble, state } from './pebble-farm.ts'

/** A program that keeps the zone that Pebble asks. */
async function zoneKeeper({ tellDns }: Pebble, secret: string) {
  const records = new Set<string>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(request.headers[name]),
      ]),
    )
    const { data } = new Webhook(secret).verify(Buffer.concat(chunks).toString(), headers) as {
      data: { action: string; name: string; value: string }
    }
    const record = `${data.name} ${data.value}`
    if (data.action === 'present') {
      if (!records.has(record))
        await tellDns('set-txt', { host: `${data.name}.`, value: data.value })
      records.add(record)
    } else records.delete(record)
    response.writeHead(200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { records, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

test('a wildcard and its base name are proven by a program that keeps the zone, which is left clean', async () => {
  const pebble = await startPebble()
  const service = await build({ config })
  const {
    services,
    config: { dataDir },
  } = service
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const keeper = await zoneKeeper(pebble, secret)
  await services.write((unit) =>
    insertDnsWebhook(unit, {
      ...{ name: 'zone', revision: 1, url: keeper.url },
      secret: sealDnsSecret(openSecretBox(dataDir), 'zone', secret),
      ...{ created_at_ms: Date.now(), created_by: 'ana' },
    }),
  )
  await knows(service, pebble)
  const dns = { challenge: 'dns-01', dns_webhook: 'zone' } as const
  await manage(service, 'shop', { ...dns, names: '["shop.example","*.shop.example"]' })
  await expect.poll(() => state(service, 'shop'), LOOK).toBe('issued')
  await expect.poll(() => ordersToClean(services.db, 10), LOOK).toEqual([])
  expect(keeper.records.size).toBe(0)
  // What is given up on the way is taken away, too.
  await pebble.tellDns('clear-txt', { host: '_acme-challenge.other.example.' })
  await manage(service, 'other', dns)
  await expect.poll(() => keeper.records.size, LOOK).toBe(1)
  await services.write((unit) => deleteManaged(unit, 'other', Date.now()))
  void service.acme.look()
  await expect.poll(() => keeper.records.size, LOOK).toBe(0)
  await expect.poll(() => orders(service, 'other'), LOOK).toEqual([])
}, 90_000)
