// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { startNode, until } from '../support/node.mjs'
import { cpuTicks, unreadBytes } from '../support/process.mjs'
import { get, LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'

const files = {
  'a.txt': 'alpha',
  'fits.bin': Buffer.alloc(256 << 10, 'x'), // both sockets' buffers hold it together
  'big.bin': Buffer.alloc(16 << 20, 'x'),
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// They wait for most of their time, each for its own node.
describe('abuse', { concurrency: 4 }, () => {
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
    await node.untilCounter('timeouts', 1)
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
    client.socket.once('data', () => client.socket.pause())
    client.send(request('/big.bin'))
    await until(() => client.received > 0, 'the first bytes')
    client.send(request('/a.txt')) // stays unread: a close would answer it with a reset
    await sleep(100)
    const stopped = node.stop()
    await sleep(100)
    client.socket.resume()
    const { body } = await client.response()
    assert.equal(body.length, 16 << 20)
    client.close()
    assert.equal(await stopped, 0)
  })

  test('the last response reaches who is slow to take it, whatever it has sent on', async (t) => {
    const node = await startNode(t, { files, config: { limits: { keepAliveRequests: 1 } } })
    const client = await RawClient.connect(node.port)
    client.socket.pause()
    client.send(request('/fits.bin'))
    await sleep(4000) // longer than who has taken everything gets to notice the end
    client.send(request('/a.txt')) // a socket that is closed would answer with a reset
    await sleep(100)
    client.socket.resume()
    const { body } = await client.response()
    assert.equal(body.length, 256 << 10)
    await client.closed()
  })

  test('a connection that never says a word is closed after headerSeconds', async (t) => {
    const node = await startNode(t, { files, config: { limits: { headerSeconds: 1 } } })
    const client = await RawClient.connect(node.port)
    await client.closed()
  })

  test('a client that takes no bytes is cut off after writeSeconds', async (t) => {
    const node = await startNode(t, { files, config: { limits: { writeSeconds: 1 } } })
    const client = await RawClient.connect(node.port)
    client.socket.pause() // before it asks: a quick machine has given it all in a moment
    client.send(request('/big.bin'))
    await until(async () => (await node.counter('timeouts')) === 1, 'the time-out')
    await node.untilCounter('aborted', 1)
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
    assert.equal(body.length, 16 << 20)
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
    await until(() => unreadBytes(node.port, busy) === 0, 'all of them speak')
    const refused = await RawClient.connect(node.port)
    const response = await refused.response()
    assert.equal(response.status, 503)
    assert.equal(response.headers['retry-after'], '1')
    await refused.closed()
    await node.untilCounter('refused', 1)
    for (const client of busy) {
      client.send('Host: a\r\n\r\n')
      assert.equal((await client.response()).status, 200)
      client.close()
    }
  })

  test('who never says a word makes room, whoever speaks or spoke last keeps its place', async (t) => {
    const limits = { connections: 50, headerSeconds: 60, writeSeconds: 60 }
    const node = await startNode(t, { files, config: { workers: 1, limits } })
    const clients = []
    const connect = async () => {
      const client = await RawClient.connect(node.port)
      clients.push(client)
      return client
    }
    const [reader, half] = [await connect(), await connect()]
    reader.socket.pause()
    reader.send(request('/big.bin'))
    half.send('GET /a.txt HTTP/1.1\r\n')
    await until(() => reader.received > 0 || reader.socket.readableLength > 0, 'the first bytes')
    const silent = await Promise.all(Array.from({ length: 60 }, connect))
    // Who has just come may yet speak, so this takes a moment; then each newcomer is served.
    const isServed = async () => (await get(node.port, '/a.txt').catch(() => null))?.status === 200
    await until(isServed, 'a place')
    const idle = await connect()
    idle.send(request('/a.txt'))
    assert.equal((await idle.response()).status, 200)
    const refused = await node.counter('refused')
    for (let i = 0; i < 20; i++) {
      const client = await connect()
      client.send(request('/a.txt'))
      assert.equal((await client.response()).status, 200)
    }
    assert.equal(await node.counter('refused'), refused)
    assert.ok(silent.filter((client) => client.ended).length >= 20)
    idle.send(request('/a.txt'))
    assert.equal((await idle.response()).status, 200)
    half.send('Host: a\r\n\r\n')
    assert.equal((await half.response()).status, 200)
    reader.socket.resume()
    assert.equal((await reader.response()).body.length, 16 << 20)
    for (const client of clients) client.close()
  })

  test('by default one address can not take all connections, but this host can', async (t) => {
    const limits = { connections: 220, headerSeconds: 60 }
    const node = await startNode(t, { files, config: { workers: 1, limits } })
    const clients = []
    const crowd = async (from) => {
      const all = await Promise.all(
        Array.from({ length: 160 }, () => RawClient.connect(node.port, { from })),
      )
      clients.push(...all)
      for (const client of all) client.send('GET /a.txt HTTP/1.1\r\n')
      return all
    }
    const isThere = () => node.status().then(({ gauges }) => gauges.openConnections)
    const near = await crowd(LOOPBACK)
    await until(async () => (await isThere()) === 160, 'all are there')
    assert.equal(await node.counter('refused'), 0)
    for (const client of near) client.close()
    await until(async () => (await isThere()) === 0, 'all are gone')
    if (OUTSIDE === LOOPBACK) return // this machine has no other address
    await crowd(OUTSIDE)
    await until(async () => (await node.counter('refused')) === 50, 'those beyond half')
    assert.equal(await isThere(), 110)
    await node.logLine(/warn listener: an address has as many connections/)
    assert.equal((await get(node.port, '/a.txt', { from: LOOPBACK })).status, 200)
    for (const client of clients) client.close()
  })

  test('out of descriptors it neither spins nor loses the listener', async (t) => {
    const node = await startNode(t, {
      files,
      config: { workers: 1, limits: { headerSeconds: 60 } },
    })
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
})

// A busy connection must never be silent for a second, and the others' nodes cost this process more.
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
  // On a busy machine thousands take long to say their first word.
  const limits = { connections: 4100, headerSeconds: 120 }
  const node = await startNode(t, { files, config: { limits } })
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
