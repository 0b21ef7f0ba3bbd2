// SPDX-License-Identifier: MIT
// Requests of one address: a burst, the rate after it, 429 with the time to wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'

const files = { 'index.html': 'home', 'api/a.json': '{}', 'busy.html': 'too busy' }
const SLOW = { requests: 1, perSeconds: 3600 } // none comes back while a test lasts
const REFILL_MS = 3000 // longer than a busy machine takes for two requests
const proxied = { trustedProxies: [LOOPBACK, OUTSIDE] }
const as = (address) => ({ lines: [`X-Forwarded-For: ${address}`] })
const statuses = async (node, times, ...args) => {
  const seen = []
  for (let i = 0; i < times; i++) seen.push((await get(node.port, ...args)).status)
  return seen
}

test('a burst, then 429 with Retry-After; other addresses, paths and sites are not concerned', async (t) => {
  const node = await startNode(t, {
    files,
    config: proxied,
    site: {
      requestLimits: [
        { paths: ['/api/**'], ...SLOW, burst: 3 },
        { paths: ['/index.html'], ...SLOW, burst: 1 },
      ],
    },
  })
  assert.deepEqual(
    await statuses(node, 5, '/api/a.json', as('192.0.2.1')),
    [200, 200, 200, 429, 429],
  )
  assert.deepEqual(await statuses(node, 1, '/api/../api/%61.json', as('192.0.2.1')), [429])
  const refused = await get(node.port, '/api/a.json', as('192.0.2.1'))
  assert.ok(Number(refused.headers['retry-after']) > 3500, refused.headers['retry-after'])
  assert.match(refused.text, /Too many requests came from your address/)
  assert.deepEqual(await statuses(node, 1, '/api/a.json', as('192.0.2.2')), [200])
  assert.deepEqual(await statuses(node, 4, '/', as('192.0.2.1')), [200, 200, 200, 200])
  assert.deepEqual(await statuses(node, 3, '/api/a.json', as('2001:db8::1')), [200, 200, 200])
  assert.deepEqual(await statuses(node, 1, '/api/a.json', as('2001:db8::2')), [429], 'one /64')
  assert.deepEqual(await statuses(node, 1, '/api/none', as('2001:db8:0:1::1')), [404])
  await until(async () => (await node.counter('rateLimited')) === 5, 'each was counted')
  assert.match(await (await node.admin('/metrics')).text(), /rate_limited/)
})

test('the bucket fills at its rate, is one for all loops, and stays at a reload', async (t) => {
  const limit = (more) => [{ requests: 1, perSeconds: 3600, burst: 4, ...more }]
  const node = await startNode(t, { files, site: { requestLimits: limit() } })
  assert.deepEqual(await statuses(node, 6, '/'), [200, 200, 200, 200, 429, 429])
  const reload = (requestLimits) =>
    node.reload({ ...node.config, sites: [{ ...node.config.sites[0], requestLimits }] })
  assert.ok(await reload(limit({ requests: 2 })))
  assert.deepEqual(await statuses(node, 1, '/'), [429])
  assert.ok(await reload([]))
  assert.deepEqual(await statuses(node, 2, '/'), [200, 200])
  assert.ok(
    await reload([
      { paths: ['/other'], ...SLOW, burst: 1 },
      ...limit({ perSeconds: REFILL_MS / 1000, burst: 1 }),
    ]),
  )
  const taken = performance.now()
  assert.deepEqual(await statuses(node, 2, '/'), [200, 429])
  await until(async () => (await statuses(node, 1, '/'))[0] === 200, 'another is allowed')
  const took = performance.now() - taken
  assert.ok(took > 0.9 * REFILL_MS, `already after ${took} ms`)
})

test('pipelined requests count one by one, and the connection stays', async (t) => {
  const node = await startNode(t, {
    files,
    site: { requestLimits: [{ ...SLOW, burst: 2 }], errorPages: { 429: '/busy.html' } },
  })
  const client = await RawClient.connect(node.port)
  client.send(request('/').repeat(4))
  const seen = []
  for (let i = 0; i < 4; i++) seen.push(await client.response())
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, 200, 429, 429],
  )
  assert.equal(seen[3].text, 'too busy')
  assert.ok(seen[3].headers['retry-after'])
  client.close()
})
