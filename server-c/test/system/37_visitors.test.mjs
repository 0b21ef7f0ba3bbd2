// SPDX-License-Identifier: MIT
// Behind proxies: what a trusted one says of its client counts for access rules, listings, the log and limits; what
// anybody else says changes nothing.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { get, LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha', 'in/b.txt': 'beta', 'in/c.txt': 'gamma' }
const HERE = ['127.0.0.0/8', '::1', OUTSIDE]
const site = {
  directoryListing: { enabled: true },
  access: [
    { action: 'allow', paths: ['/in/b.txt'], addresses: ['198.51.100.0/24', '2001:db8::/32'] },
    { action: 'deny', paths: ['/in/b.txt'] },
  ],
}
const start = (t, config) => startNode(t, { files, site, config })
const statusFor = async (node, ...lines) => (await get(node.port, '/in/b.txt', { lines })).status

test('access rules go by the client that a trusted proxy names', async (t) => {
  const node = await start(t, { trustedProxies: [...HERE, '10.0.0.0/8'] })
  for (const [line, status] of [
    ['X-Forwarded-For: 198.51.100.7', 200],
    ['X-Forwarded-For: 2001:db8::7', 200],
    ['X-Forwarded-For: [2001:db8::7]:80', 200],
    ['X-Forwarded-For: 203.0.113.5, 198.51.100.7', 200],
    ['X-Forwarded-For: 198.51.100.7, 10.1.2.3, 127.0.0.1', 200],
    ['X-Forwarded-For: 198.51.100.7, 203.0.113.5', 403],
    ['X-Forwarded-For: 203.0.113.5', 403],
    ['X-Forwarded-For: unknown', 403],
    ['X-Forwarded-For: 198.51.100.7, unknown', 403],
    ['Forwarded: for=198.51.100.7', 403],
    ['X-Real-IP: 198.51.100.7', 403],
  ])
    assert.equal(await statusFor(node, line), status, line)
  assert.equal(await statusFor(node), 403)
})

test('what anybody else says of a client changes nothing', async (t) => {
  for (const trustedProxies of [[], ['10.0.0.0/8']]) {
    const node = await start(t, { trustedProxies })
    assert.equal(await statusFor(node, 'X-Forwarded-For: 198.51.100.7'), 403)
    assert.equal(await statusFor(node, 'Forwarded: for=198.51.100.7'), 403)
  }
})

test('of Forwarded the parameter "for" counts when that is the field', async (t) => {
  const node = await start(t, { trustedProxies: HERE, trustedProxyField: 'Forwarded' })
  assert.equal(await statusFor(node, 'Forwarded: for=198.51.100.7;proto=https'), 200)
  assert.equal(await statusFor(node, 'Forwarded: for="[2001:db8::7]:80"'), 200)
  assert.equal(await statusFor(node, 'Forwarded: for=198.51.100.7, for=203.0.113.5'), 403)
  assert.equal(await statusFor(node, 'Forwarded: for=_hidden'), 403)
  assert.equal(await statusFor(node, 'X-Forwarded-For: 198.51.100.7'), 403)
})

test('each request of a connection has a client of its own, and a listing is for that one', async (t) => {
  const node = await start(t, { workers: 1, trustedProxies: HERE })
  const client = await RawClient.connect(node.port)
  for (const [address, sees] of [
    ['198.51.100.7', true],
    ['203.0.113.5', false],
    ['198.51.100.8', true],
  ]) {
    client.send(request('/in/', { lines: [`X-Forwarded-For: ${address}`] }))
    assert.equal((await client.response()).text.includes('b.txt'), sees, address)
  }
  client.close()
})

test('the access log shows the client, or "-" when the proxy does not know it', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const accessLog = { path, format: 'json' }
  const node = await start(t, { workers: 1, accessLog, trustedProxies: HERE })
  const from = LOOPBACK
  await get(node.port, '/a.txt', { from, lines: ['X-Forwarded-For: 9.9.9.9, 198.51.100.7'] })
  await get(node.port, '/a.txt', { from, lines: ['X-Forwarded-For: 2001:DB8::7'] })
  await get(node.port, '/a.txt', { from, lines: ['X-Forwarded-For: unknown'] })
  await get(node.port, '/a.txt', { from })
  const records = await until(() => {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    return lines.length === 4 && lines.map(JSON.parse)
  }, 'four lines')
  assert.deepEqual(
    records.map(({ peer }) => peer),
    ['198.51.100.7', '2001:db8::7', '-', '127.0.0.1'],
  )
})

test('a proxy on a Unix socket is trusted as "unix"', async (t) => {
  const socket = join(tempFolder(t), 'http.sock')
  const listen = [{ address: '127.0.0.1', port: 0 }, { socket }]
  const node = await start(t, { listen, trustedProxies: ['unix'] })
  const client = await RawClient.connect(undefined, {
    path: socket,
    port: undefined,
    host: undefined,
  })
  client.send(request('/in/b.txt', { lines: ['X-Forwarded-For: 198.51.100.7'] }))
  assert.equal((await client.response()).status, 200)
  client.close()
  assert.equal(await statusFor(node, 'X-Forwarded-For: 198.51.100.7'), 403)
})

test('connections of a trusted proxy are not counted by address, from the next reload on', async (t) => {
  const limits = { connectionsPerAddress: 2 }
  const node = await start(t, { limits, trustedProxies: HERE })
  const many = await Promise.all(Array.from({ length: 6 }, () => RawClient.connect(node.port)))
  for (const client of many) client.send(request('/a.txt'))
  for (const client of many) assert.equal((await client.response()).status, 200)
  for (const client of many) client.close()
  assert.equal(await node.reload({ ...node.config, trustedProxies: [] }), true)
  assert.equal(await statusFor(node, 'X-Forwarded-For: 198.51.100.7'), 403)
  const few = await Promise.all(Array.from({ length: 4 }, () => RawClient.connect(node.port)))
  for (const client of few) client.send(request('/a.txt'))
  const statuses = await Promise.all(few.map(async (client) => (await client.response()).status))
  assert.deepEqual(statuses.sort(), [200, 200, 503, 503])
  for (const client of few) client.close()
})
