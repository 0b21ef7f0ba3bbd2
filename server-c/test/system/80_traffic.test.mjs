// SPDX-License-Identifier: MIT
// Rates, shares and time-outs of clients, measured over sockets. Bounds are wide: machines are noisy.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { badDisk } from '../support/bad-disk.mjs'
import { startNode, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const KB = 1000
const files = { 'a.txt': 'alpha', 'big.bin': Buffer.alloc(32 << 20, 'x') }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const memoryless = { fileCache: { maxFileBytes: 4096 } }

/** Bytes per second each of `clients` gets of the big file, once the burst is over. */
async function measure(port, clients, ms = 3000) {
  const all = await Promise.all(Array.from({ length: clients }, () => RawClient.connect(port)))
  for (const client of all) client.send(request('/big.bin'))
  await sleep(1000)
  const before = all.map((client) => client.received)
  const start = performance.now()
  await sleep(ms)
  const seconds = (performance.now() - start) / 1000
  const rates = all.map((client, i) => (client.received - before[i]) / seconds)
  for (const client of all) client.close()
  return rates
}

function assertNear(rate, wanted) {
  assert.ok(rate >= wanted * 0.5 && rate <= wanted * 1.5, `${rate} B/s, not ${wanted}`)
}

// Each waits for seconds to pass, and costs next to nothing meanwhile.
describe('traffic', { concurrency: 4 }, () => {
  for (const [how, config] of [
    ['memory', {}],
    ['a file', memoryless],
  ]) {
    test(`a connection gets its rate, from ${how}`, async (t) => {
      const site = { connectionBytesPerSecond: 200 * KB }
      const node = await startNode(t, { files, site, config })
      const rates = await measure(node.port, 2)
      t.diagnostic(`${rates.map(Math.round)} B/s`)
      for (const rate of rates) assertNear(rate, 200 * KB)
    })

    test(`the connections of a site share its rate, from ${how}`, async (t) => {
      const node = await startNode(t, { files, site: { bytesPerSecond: 400 * KB }, config })
      const rates = await measure(node.port, 4)
      t.diagnostic(`${rates.map(Math.round)} B/s`)
      assertNear(
        rates.reduce((sum, rate) => sum + rate, 0),
        400 * KB,
      )
      for (const rate of rates) assert.ok(rate > 40 * KB && rate < 200 * KB, `${rates}`)
    })
  }

  // The page cache has the first MiB only, and this disk tells so of a whole read: what a big share asks
  // for is fetched first, what a small one asks for is there.
  test('who waits for the disk keeps what was due meanwhile', async (t) => {
    const node = await startNode(t, {
      files: { ...files, 'eio-late.bin': Buffer.alloc(1_200_000, 'x') },
      site: { bytesPerSecond: 1000 * KB },
      config: { ...memoryless, io: { chunkBytes: 4096 } },
      wrap: badDisk(),
    })
    const other = await RawClient.connect(node.port)
    other.send(request('/big.bin'))
    const client = await RawClient.connect(node.port)
    client.send(request('/eio-late.bin'))
    await until(() => client.ended, 'the end of what the disk has', 15_000)
    assert.ok(client.received > 900_000, `${client.received}`)
    other.close()
  })

  test('a rate is no hindrance to small answers, errors, HEAD and the connection', async (t) => {
    const site = { connectionBytesPerSecond: 50 * KB, bytesPerSecond: 100 * KB }
    const node = await startNode(t, { files, site })
    const client = await RawClient.connect(node.port)
    for (let i = 0; i < 40; i++) {
      client.send(request('/a.txt'))
      assert.equal((await client.response()).text, 'alpha')
      client.send(request('/none'))
      assert.equal((await client.response()).status, 404)
      client.send(request('/big.bin', { method: 'HEAD' }))
      assert.equal((await client.response({ isHead: true })).headers['content-length'], '33554432')
    }
    client.close()
  })

  test('a response that is throttled is whole and right', async (t) => {
    const body = Buffer.from(Array.from({ length: 120_000 }, (_, i) => (i * 7) % 251))
    for (const config of [{}, memoryless]) {
      const node = await startNode(t, {
        files: { 'a.bin': body },
        site: { connectionBytesPerSecond: 60 * KB },
        config,
      })
      const client = await RawClient.connect(node.port)
      client.send(request('/a.bin') + request('/a.bin', { lines: ['Range: bytes=5-10004'] }))
      assert.ok((await client.response()).body.equals(body))
      assert.ok((await client.response()).body.equals(body.subarray(5, 10_005)))
      client.close()
    }
  })

  test('who goes away while it is throttled leaves nothing behind', async (t) => {
    const node = await startNode(t, { files, site: { bytesPerSecond: 20 * KB } })
    const clients = await Promise.all(
      Array.from({ length: 30 }, () => RawClient.connect(node.port)),
    )
    for (const client of clients) client.send(request('/big.bin'))
    await sleep(600)
    for (const client of clients) client.close()
    await until(
      async () => (await node.status()).gauges.openConnections === 0,
      'the connections to be gone',
    )
  })

  test('a reload keeps, changes and ends a rate', async (t) => {
    const node = await startNode(t, { files, site: { connectionBytesPerSecond: 100 * KB } })
    const reload = (rate) =>
      node.reload({
        ...node.config,
        sites: [{ ...node.config.sites[0], connectionBytesPerSecond: rate }],
      })
    assert.ok(await reload(300 * KB))
    const [rate] = await measure(node.port, 1, 2000)
    assertNear(rate, 300 * KB)
    assert.ok(await reload(0))
    assert.equal((await get(node.port, '/big.bin')).body.length, 32 << 20)
  })

  test('limits.connectionsPerAddress: one more is refused, until one is gone', async (t) => {
    const limits = { connectionsPerAddress: 3 }
    const node = await startNode(t, { files, config: { limits } })
    const clients = await Promise.all([1, 2, 3].map(() => RawClient.connect(node.port)))
    for (const client of clients) {
      client.send(request('/a.txt'))
      assert.equal((await client.response()).status, 200)
    }
    const refused = await RawClient.connect(node.port)
    assert.equal((await refused.response()).status, 503)
    await refused.closed()
    await node.untilCounter('refused', 1)
    const other = await RawClient.connect(node.port, { localAddress: '127.0.0.2' })
    other.send(request('/a.txt'))
    assert.equal((await other.response()).status, 200)
    clients[0].close()
    await until(async () => (await node.status()).gauges.openConnections === 3, 'one to be gone')
    assert.equal((await get(node.port, '/a.txt')).status, 200)
    // Those that were accepted while there was no limit are not counted afterwards.
    const config = (count) => ({ ...node.config, limits: { connectionsPerAddress: count } })
    assert.ok(await node.reload(config(0)))
    const uncounted = await Promise.all([1, 2, 3, 4].map(() => RawClient.connect(node.port)))
    for (const client of uncounted) {
      client.send(request('/a.txt'))
      assert.equal((await client.response()).status, 200)
    }
    assert.ok(await node.reload(config(3)))
    assert.equal((await get(node.port, '/a.txt')).status, 200)
    for (const client of [...clients, ...uncounted, other]) client.close()
  })

  test('half a head is answered with 408, a silent connection with nothing', async (t) => {
    const node = await startNode(t, { files, config: { limits: { headerSeconds: 1 } } })
    const silent = await RawClient.connect(node.port)
    const slow = await RawClient.connect(node.port)
    slow.send('GET /a.txt HTTP/1.1\r\nHost: a\r\n')
    const response = await slow.response()
    assert.equal(response.status, 408)
    assert.equal(response.headers.connection, 'close')
    await slow.closed()
    assert.equal((await silent.closed()).length, 0)
    const used = await RawClient.connect(node.port)
    used.send(`${request('/a.txt')}GET /a.t`)
    assert.equal((await used.response()).status, 200)
    assert.equal((await used.response()).status, 408)
    await node.untilCounter('timeouts', 2)
    assert.equal(await node.counter('badRequests'), 0)
  })

  test('limits.bodyBytes: a longer body costs the connection, a shorter one does not', async (t) => {
    const node = await startNode(t, { files, config: { limits: { bodyBytes: 1000 } } })
    for (const [length, goesOn] of [
      [1000, true],
      [1001, false],
    ]) {
      const client = await RawClient.connect(node.port)
      const body = 'x'.repeat(length)
      client.send(request('/a.txt', { method: 'POST', lines: [`Content-Length: ${length}`], body }))
      const response = await client.response()
      assert.equal(response.status, 405)
      assert.equal(response.headers.connection, goesOn ? undefined : 'close')
      if (goesOn) {
        client.send(request('/a.txt'))
        assert.equal((await client.response()).text, 'alpha')
      }
      client.close()
    }
  })
})
