// SPDX-License-Identifier: MIT
// Clients of HTTP/2 that mean ill. Each is let go or held within bounds: the node's memory stays what
// it was, and another client is served meanwhile.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as h2 from '../support/http2-raw.mjs'
import { startNode, until } from '../support/node.mjs'
import { cpuTicks, rssBytes } from '../support/process.mjs'
import { get } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha', 'big.bin': Buffer.alloc(4 << 20, 'x') }
const MIB = 1 << 20

/** How much more memory the node may have while one client attacks, sanitizers' shadow included. */
const MEMORY_MAX = 24 * MIB

async function start(t, limits = {}) {
  const node = await startNode(t, { files, config: { limits } })
  await get(node.port, '/a.txt')
  await get(node.port, '/big.bin')
  return node
}

/** Another client is served, and soon. */
async function serves(node) {
  const begin = Date.now()
  assert.equal((await get(node.port, '/a.txt')).status, 200)
  assert.ok(Date.now() - begin < 2000, `${Date.now() - begin} ms for a file`)
}

/**
 * Runs `attack` of one client until the node ends the connection or `attack` is done. Returns the error code
 * of its GOAWAY, if any.
 */
async function attack(node, { first, rounds = 200, pause = false }, make) {
  const before = rssBytes(node.child.pid)
  const client = await h2.Http2Raw.connect(node.port, { first })
  if (pause) client.socket.pause()
  for (let round = 0; round < rounds && !client.ended; round++) {
    client.send(...make(round))
    if (round % 10 === 0) await serves(node)
    await sleep(1)
  }
  const grown = rssBytes(node.child.pid) - before
  assert.ok(grown < MEMORY_MAX, `${(grown / MIB).toFixed(1)} MiB more`)
  return client
}

async function isEnded(node, client) {
  // A client that goes on sending may be reset before it has read why.
  if (client.socket.isPaused()) client.close()
  else assert.equal(await client.goodbye(), h2.ENHANCE_YOUR_CALM)
  await node.untilEnds('flood', 1)
  await serves(node)
}

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i))

/* Frames that are cheap to send, and lead to nothing. */
const cheap = {
  'pings (CVE-2019-9512)': () => times(100, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8))),
  'settings (CVE-2019-9515)': () => times(100, () => h2.settings()),
  'settings that move all windows': (round) =>
    times(100, (i) => h2.settings([4, 1000 + ((round + i) % 2)])),
  'window updates': () => times(100, () => h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(1))),
  'priorities (CVE-2019-9513)': (round) =>
    times(100, (i) => h2.frame(h2.PRIORITY, 0, 2 * (round + i) + 1, Buffer.from([0, 0, 0, 0, 9]))),
  'priority updates': (round) =>
    times(100, (i) =>
      h2.frame(
        h2.PRIORITY_UPDATE,
        0,
        0,
        Buffer.concat([h2.number32(2 * (round + i) + 1), Buffer.from('u=1')]),
      ),
    ),
  'answers to pings that nobody sent': () =>
    times(100, () => h2.frame(h2.PING, h2.ACK, 0, Buffer.alloc(8))),
  'pings of a client that reads nothing': () =>
    times(100, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8))),
}

for (const [name, make] of Object.entries(cheap))
  test(`a flood of ${name} ends the connection`, async (t) => {
    const node = await start(t)
    const client = await attack(node, { pause: name.includes('reads nothing') }, make)
    await isEnded(node, client)
  })

test('frames of an unknown type are passed over (RFC 9113 section 4.1), and others are served', async (t) => {
  const node = await start(t)
  const client = await attack(node, {}, () => times(100, () => h2.frame(0x20, 0, 0)))
  client.send(h2.get(1, '/a.txt'))
  await client.end(1)
  client.close()
})

test('a flood of empty DATA frames ends the connection (CVE-2019-9518)', async (t) => {
  const node = await start(t)
  const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })
  // Its response waits for a window, so the stream stays open.
  client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block('/big.bin', [], 'GET')))
  for (let i = 0; i < 200 && !client.ended; i++) {
    client.send(...times(100, () => h2.frame(h2.DATA, 0, 1)))
    await sleep(1)
  }
  await isEnded(node, client)
})

test('requests that are cancelled at once end the connection (CVE-2023-44487)', async (t) => {
  const node = await start(t)
  const ticks = cpuTicks(node.child.pid)
  let id = -1
  const client = await attack(node, { rounds: 1000 }, () =>
    times(20, () => {
      id += 2
      return Buffer.concat([
        h2.get(id, '/big.bin'),
        h2.frame(h2.RST_STREAM, 0, id, h2.number32(h2.CANCEL)),
      ])
    }),
  )
  await isEnded(node, client)
  assert.ok(id < 2000, `${id / 2} requests`)
  assert.ok(cpuTicks(node.child.pid) - ticks < 300, 'three seconds of a processor at most')
})

/* Errors for which the server resets the stream, so that the client need not (CVE-2025-8671). */
const errors = {
  'a window that grows too large': (id) => [
    h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, id, h2.block('/big.bin')),
    h2.frame(h2.WINDOW_UPDATE, 0, id, h2.number32(0x7fffffff)),
  ],
  'a window update of nothing': (id) => [
    h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, id, h2.block('/big.bin')),
    h2.frame(h2.WINDOW_UPDATE, 0, id, h2.number32(0)),
  ],
  'a request that is malformed': (id) => [h2.get(id, '/big.bin', [['connection', 'close']])],
  'a field that is none': (id) => [h2.get(id, '/big.bin', [['X', 'y']])],
  'two hosts': (id) => [h2.get(id, '/big.bin', [['host', 'other']])],
  'content of another length': (id) => [
    h2.frame(h2.HEADERS, h2.END_HEADERS, id, h2.block('/big.bin', [['content-length', '5']])),
    h2.frame(h2.DATA, h2.END_STREAM, id, Buffer.from('123')),
  ],
}

for (const [name, make] of Object.entries(errors))
  test(`streams that we reset for ${name} end the connection`, async (t) => {
    const node = await start(t)
    let id = -1
    const client = await attack(node, { rounds: 400 }, () =>
      times(10, () => {
        id += 2
        return Buffer.concat(make(id))
      }),
    )
    await client.goodbye()
    assert.ok(id < 2000, `${id / 2} requests`)
    await serves(node)
  })

// What is cut off by its time is waited for, each with a node of its own.
suite('bounds of what a connection may hold', { concurrency: 4 }, () => {
  test('a head without end is cut off, by its frames and by its time (CVE-2024-27316)', async (t) => {
    const node = await start(t, { headerSeconds: 1 })
    const client = await h2.Http2Raw.connect(node.port)
    client.send(h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.block()))
    for (let i = 0; i < 200 && !client.ended; i++) {
      client.send(h2.frame(h2.CONTINUATION, 0, 1, h2.field(`x-${i}`, 'y'.repeat(100))))
      await sleep(1)
    }
    await client.goodbye()
    const slow = await h2.Http2Raw.connect(node.port)
    const begin = Date.now()
    slow.send(h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.block()))
    await slow.goodbye()
    assert.ok(Date.now() - begin < 5000)
    await node.untilEnds('slowHead', 1)
    await serves(node)
  })

  test('a head that grows without end when it is unpacked ends the connection (CVE-2026-49975)', async (t) => {
    const node = await start(t)
    const ticks = cpuTicks(node.child.pid)
    const large = h2.field('x-large', 'v'.repeat(4000), true) // then 62 is its index
    const client = await attack(node, { first: h2.settings([4, 0]), rounds: 50 }, (round) => [
      h2.frame(
        h2.HEADERS,
        h2.END_STREAM | h2.END_HEADERS,
        2 * round + 1,
        Buffer.concat([
          h2.block(),
          round === 0 ? large : Buffer.alloc(0),
          Buffer.alloc(10_000, 0x80 | 62),
        ]),
      ),
    ])
    await isEnded(node, client)
    assert.ok(cpuTicks(node.child.pid) - ticks < 100, 'a second of a processor at most')
  })

  test('a head of many small fields is refused, and the connection goes on', async (t) => {
    const node = await start(t)
    const client = await h2.Http2Raw.connect(node.port)
    client.send(
      h2.get(
        1,
        '/a.txt',
        times(1000, () => ['a', '']),
      ),
    )
    client.send(h2.get(3, '/a.txt'))
    await client.end(1)
    await client.end(3)
    const [{ payload }] = client.frames.filter(({ type, id }) => type === h2.HEADERS && id === 1)
    assert.ok(payload.includes('431') || payload.length > 0)
    await node.untilCounter('badRequests', 1)
    client.close()
  })

  test('more requests at once than limits.http2Streams are refused', async (t) => {
    const node = await start(t, { http2Streams: 10 })
    const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })
    await client.frame(({ type, flags }) => type === h2.SETTINGS && flags === h2.ACK, 'settings')
    client.send(h2.frame(h2.SETTINGS, h2.ACK, 0))
    client.send(...times(11, (i) => h2.get(2 * i + 1, '/big.bin')))
    const { id } = await client.frame(
      ({ type }) => type === h2.RST_STREAM || type === h2.GOAWAY,
      'a refusal',
    )
    assert.ok(id === 21 || id === 0)
    await serves(node)
    client.close()
  })

  test('streams that nobody reads cost little, and are reset after writeSeconds', async (t) => {
    const node = await start(t, { writeSeconds: 2, http2Streams: 128 })
    const before = rssBytes(node.child.pid)
    const clients = await Promise.all(
      times(20, () => h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })),
    )
    for (const client of clients) client.send(...times(128, (i) => h2.get(2 * i + 1, '/big.bin')))
    await Promise.all(clients.map((client) => client.frame((one) => one.id === 255, 'a head')))
    const grown = rssBytes(node.child.pid) - before
    assert.ok(
      grown < 20 * 128 * 16_384 + MEMORY_MAX,
      `${(grown / MIB).toFixed(1)} MiB for 2560 streams`,
    )
    await serves(node)
    for (const client of clients)
      await client.frame(({ type, id }) => type === h2.RST_STREAM && id === 255, 'a reset')
    await until(async () => (await node.counter('timeouts')) >= 2560, 'all are counted')
    for (const client of clients) client.close()
  })

  test('a client that takes nothing is let go after writeSeconds, and costs one batch', async (t) => {
    const node = await start(t, { writeSeconds: 2 })
    const before = rssBytes(node.child.pid)
    const clients = await Promise.all(
      times(20, () => h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0x7fffffff]) })),
    )
    for (const client of clients) {
      client.socket.pause()
      client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(0x7ffe0000)))
      client.send(...times(20, (i) => h2.get(2 * i + 1, '/big.bin')))
    }
    await until(async () => (await node.status()).gauges.openConnections >= 20, 'connections')
    await sleep(500)
    const grown = rssBytes(node.child.pid) - before
    assert.ok(
      grown < 20 * 256 * 1024 + MEMORY_MAX,
      `${(grown / MIB).toFixed(1)} MiB for 20 clients`,
    )
    await serves(node)
    await node.untilEnds('slowClient', 20)
    for (const client of clients) client.close()
  })

  test('a window that opens by a byte now and then does not hold a stream (CVE-2019-9517)', async (t) => {
    const node = await start(t, { writeSeconds: 2, minBytesPerSecond: 1000 })
    const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })
    client.send(h2.get(1, '/big.bin'))
    const begin = Date.now()
    let reset
    while (!reset && Date.now() - begin < 15_000) {
      client.send(h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.number32(1)))
      await sleep(100)
      reset = client.frames.find(({ type }) => type === h2.RST_STREAM)
    }
    assert.ok(reset, 'reset')
    await serves(node)
    client.close()
  })

  test('content that never ends gets no room after limits.bodyBytes', async (t) => {
    const node = await start(t, { bodyBytes: 1000 })
    const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })
    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block('/big.bin')))
    // The window of a stream is 65,535 bytes when nobody says otherwise.
    client.send(...times(3, () => h2.frame(h2.DATA, 0, 1, Buffer.alloc(16_384))))
    client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)))
    await client.frame(({ type, flags }) => type === h2.PING && flags === h2.ACK, 'a pong')
    assert.equal(
      client.frames.filter(({ type, id }) => type === h2.WINDOW_UPDATE && id === 1).length,
      0,
    )
    client.close()
  })
})
