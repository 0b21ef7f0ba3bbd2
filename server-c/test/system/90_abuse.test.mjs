// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { cpuTicks } from '../support/process.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha', 'big.bin': Buffer.alloc(32 << 20, 'x') }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

test('a head that comes drop by drop is cut off after headerSeconds', async (t) => {
  const node = await startNode(t, { files, config: { limits: { headerSeconds: 1 } } })
  const client = await RawClient.connect(node.port)
  const start = Date.now()
  client.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n')
  while (!client.ended && Date.now() - start < 10_000) {
    client.send('X: y\r\n')
    await sleep(100)
  }
  assert.ok(client.ended)
  assert.ok(Date.now() - start < 3500, `${Date.now() - start} ms`)
  assert.equal(await node.counter('timeouts'), 1)
})

test('a body that comes drop by drop is cut off after writeSeconds', async (t) => {
  const node = await startNode(t, { files, config: { limits: { writeSeconds: 1 } } })
  const client = await RawClient.connect(node.port)
  const start = Date.now()
  client.send(request('/a.txt', { method: 'POST', lines: ['Content-Length: 1000'] }))
  assert.equal((await client.response()).status, 405)
  while (!client.ended && Date.now() - start < 10_000) {
    client.send('x')
    await sleep(100)
  }
  assert.ok(client.ended)
  assert.ok(Date.now() - start < 3500, `${Date.now() - start} ms`)
})

test('who sends on while the node stops gets the whole response all the same', async (t) => {
  const node = await startNode(t, { files })
  const client = await RawClient.connect(node.port)
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  client.socket.pause()
  client.send(request('/a.txt')) // stays unread: a close would answer it with a reset
  await sleep(100)
  const stopped = node.stop()
  await sleep(100)
  client.socket.resume()
  const { body } = await client.response()
  assert.equal(body.length, 32 << 20)
  client.close()
  assert.equal(await stopped, 0)
})

test('a connection that never says a word is closed after headerSeconds', async (t) => {
  const node = await startNode(t, { files, config: { limits: { headerSeconds: 1 } } })
  const client = await RawClient.connect(node.port)
  await client.closed()
})

test('an idle connection is closed after keepAliveIdleSeconds, a busy one is not', async (t) => {
  const node = await startNode(t, { files, config: { limits: { keepAliveIdleSeconds: 1 } } })
  const idle = await RawClient.connect(node.port)
  const busy = await RawClient.connect(node.port)
  idle.send(request('/a.txt'))
  await idle.response()
  const start = Date.now()
  while (!idle.ended) {
    busy.send(request('/a.txt'))
    await busy.response()
    await sleep(100)
    assert.ok(Date.now() - start < 5000, 'the idle one is still open')
  }
  assert.ok(Date.now() - start >= 900)
  assert.ok(!busy.ended)
  busy.close()
})

test('a client that takes no bytes is cut off after writeSeconds', async (t) => {
  const node = await startNode(t, { files, config: { limits: { writeSeconds: 1 } } })
  const client = await RawClient.connect(node.port)
  client.send(request('/big.bin'))
  await until(() => client.received > 0, 'the first bytes')
  client.socket.pause()
  await until(async () => (await node.counter('timeouts')) === 1, 'the time-out')
  assert.equal(await node.counter('aborted'), 1)
  assert.equal((await get(node.port, '/a.txt')).status, 200)
  client.close()
})

test('a slow reader that does take bytes gets them all', async (t) => {
  const node = await startNode(t, { files, config: { limits: { writeSeconds: 2 } } })
  const client = await RawClient.connect(node.port)
  client.send(request('/big.bin'))
  const timer = setInterval(
    () => (client.socket.isPaused() ? client.socket.resume() : client.socket.pause()),
    50,
  )
  const { body } = await client.response()
  clearInterval(timer)
  assert.equal(body.length, 32 << 20)
  client.close()
})

test('limits.connections: who idles makes room, and then there is 503', async (t) => {
  const node = await startNode(t, { files, config: { workers: 1, limits: { connections: 16 } } })
  const idle = []
  for (let i = 0; i < 16; i++) {
    const client = await RawClient.connect(node.port)
    client.send(request('/a.txt'))
    await client.response()
    idle.push(client)
  }
  const more = await RawClient.connect(node.port)
  more.send(request('/a.txt'))
  assert.equal((await more.response()).status, 200)
  await idle[0].closed()
  const busy = [more, ...idle.slice(1)]
  for (const client of busy) client.send('GET /a.txt HTTP/1.1\r\n')
  await sleep(200)
  const refused = await RawClient.connect(node.port)
  const response = await refused.response()
  assert.equal(response.status, 503)
  assert.equal(response.headers['retry-after'], '1')
  await refused.closed()
  assert.equal(await node.counter('refused'), 1)
  for (const client of busy) {
    client.send('Host: a\r\n\r\n')
    assert.equal((await client.response()).status, 200)
    client.close()
  }
})

test('out of descriptors it neither spins nor loses the listener', async (t) => {
  const node = await startNode(t, { files, config: { workers: 1, limits: { headerSeconds: 60 } } })
  execFileSync('prlimit', [`--pid=${node.child.pid}`, '--nofile=64:64'])
  const clients = []
  for (let i = 0; i < 100; i++) clients.push(await RawClient.connect(node.port))
  await node.logLine(/can't accept on .*port/)
  await sleep(500)
  const before = cpuTicks(node.child.pid)
  await sleep(1000)
  assert.ok(cpuTicks(node.child.pid) - before < 50, 'it spins')
  for (const client of clients) client.close()
  await until(
    async () => (await get(node.port, '/a.txt').catch(() => null))?.status === 200,
    'service again',
  )
})

test('a storm of resets leaves nothing behind', async (t) => {
  const node = await startNode(t, { files })
  for (let round = 0; round < 10; round++) {
    const clients = await Promise.all(
      Array.from({ length: 40 }, () => RawClient.connect(node.port)),
    )
    for (const [i, client] of clients.entries()) {
      client.send(i % 3 === 0 ? 'GET /a' : request(i % 2 ? '/big.bin' : '/a.txt').repeat(3))
      client.socket.resetAndDestroy()
    }
  }
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
  assert.equal((await get(node.port, '/a.txt')).text, 'alpha')
})

test('thousands of idle connections, and a request among them', async (t) => {
  const node = await startNode(t, { files, config: { limits: { connections: 4000 } } })
  const clients = []
  for (let i = 0; i < 2000; i += 100)
    clients.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(node.port)))),
    )
  for (const client of clients) client.send(request('/a.txt'))
  for (const client of clients) assert.equal((await client.response()).status, 200)
  assert.equal((await node.status()).gauges.openConnections, 2000)
  assert.equal((await get(node.port, '/a.txt')).status, 200)
  for (const client of clients) client.close()
  await until(async () => (await node.status()).gauges.openConnections === 0, 'all are gone')
})

test('a full stat lane answers 503 with Retry-After and goes on', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}.txt`, `${i}`]))
  const node = await startNode(t, {
    files: many,
    config: { workers: 1, io: { statThreads: 1, queueLength: 16 } },
  })
  const answers = await Promise.all(Object.keys(many).map((name) => get(node.port, `/${name}`)))
  for (const { status, headers } of answers) {
    assert.ok(status === 200 || status === 503, `${status}`)
    if (status === 503) assert.equal(headers['retry-after'], '1')
  }
  assert.equal(
    await node.counter('laneRejected'),
    answers.filter((one) => one.status === 503).length,
  )
  assert.equal((await get(node.port, '/f0.txt')).text, '0')
})
