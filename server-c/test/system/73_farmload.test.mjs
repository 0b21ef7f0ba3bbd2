// SPDX-License-Identifier: MIT
// farmload against servers that do what is planted in them: each of it must be in what it says, at its full height.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import { test } from 'node:test'
import { listen, load, startFarmload, target } from '../support/farmload.mjs'
import { startNode } from '../support/node.mjs'
import { authorities, startTlsNode } from '../support/tls-node.mjs'

const PAGE = Buffer.alloc(4096, 'farm')
const SHA256 = createHash('sha256').update(PAGE).digest('hex')
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const STALL_MS = 50
const MS_PER_NS = 1e-6

const closed = (port, more = {}) => ({
  mode: 'closed',
  clients: 4,
  seconds: 20,
  requests: 200,
  targets: [target(port)],
  urls: [{ target: 0, path: '/' }],
  ...more,
})

/** How many latencies are at least `ms`: by whole buckets, as a node's pictures are. */
function atLeast({ buckets }, ms) {
  const from = Math.ceil(Math.log2(ms / 1000) * 8)
  return buckets.reduce((sum, [index, count]) => (index >= from ? sum + count : sum), 0)
}

function onlyFault(result, name, count) {
  const { [name]: found, ...others } = result.faults
  assert.equal(found, count, name)
  assert.deepEqual(
    Object.entries(others).filter(([, times]) => times > 0),
    [],
  )
}

test('counts what the node counts, and checks each byte', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': PAGE, 'b.txt': 'b' } })
  const result = await load(
    closed(node.port, {
      urls: [
        { target: 0, path: '/a.txt', weight: 3, bytes: PAGE.length, sha256: SHA256 },
        { target: 0, path: '/b.txt', bytes: 1 },
        { target: 0, path: '/a.txt', head: true, bytes: PAGE.length },
      ],
    }),
  )
  assert.equal(result.requests, 200)
  assert.equal(result.good, 200)
  assert.deepEqual(result.statuses, { 200: 200 })
  assert.equal(result.connections, 4)
  assert.equal(result.stages.latency.count, 200)
  assert.equal(result.stages.connect.count, 4)
  assert.equal(result.samples.length, 200)
  assert.equal(await node.counter('requests'), 200)
})

test('a connection for each request, when asked', async (t) => {
  const node = await startNode(t, { files: { 'index.html': PAGE } })
  const result = await load(closed(node.port, { keepAlive: false }))
  assert.equal(result.good, 200)
  assert.equal(result.connections, 200)
  assert.equal(result.stages.connect.count, 200)
})

test('a stall of 50 ms is seen at full height by every request that was due in it', async (t) => {
  const stalled = new Int32Array(new SharedArrayBuffer(4))
  let asked = 0
  const port = await listen(t, (socket) =>
    socket.on('data', () => {
      if (++asked === 700) Atomics.wait(stalled, 0, 0, STALL_MS) // the server stands still
      socket.write(OK)
    }),
  )
  const clock = { seconds: 2, requests: 0, clients: 100 }
  const open = await load(closed(port, { ...clock, mode: 'open', ratePerSecond: 1000 }))
  const { latency } = open.stages
  assert.equal(open.good, 2000)
  assert.ok(latency.maxNs * MS_PER_NS >= STALL_MS - 2, `the longest: ${latency.maxNs} ns`)
  // Due at 1 ms each: of 50 there are 40 which waited for 10 ms and more.
  assert.ok(atLeast(latency, 10) >= 35, `${atLeast(latency, 10)} waited for long`)
  const tallest = Math.max(...open.slots.map(([, , , maxMs]) => maxMs))
  assert.ok(tallest >= STALL_MS - 2, `in the picture: ${tallest} ms`)
})

test('one client alone: requests wait for it, and are timed from when they were due', async (t) => {
  const port = await listen(t, (socket) =>
    socket.on('data', () => setTimeout(() => socket.write(OK), 20)),
  )
  const plan = { mode: 'open', ratePerSecond: 100, seconds: 1, requests: 0, clients: 1 }
  const { stages, requests } = await load(closed(port, plan))
  assert.equal(requests, 100)
  // 20 ms each, every 10 ms: the last of them waits for most of a second, although each answer takes 20 ms.
  assert.ok(stages.latency.maxNs * MS_PER_NS > 900, `${stages.latency.maxNs}`)
  assert.ok(stages.service.p50Seconds < 0.2, `${stages.service.p50Seconds}`)
})

test('time-outs are time-outs, those that were never sent too, and stand in the percentiles', async (t) => {
  const port = await listen(t, (socket) => socket.resume())
  const plan = { mode: 'open', ratePerSecond: 50, seconds: 1, requests: 0, clients: 1 }
  const result = await load(closed(port, { ...plan, timeoutMs: 300 }))
  assert.equal(result.requests, 50)
  assert.equal(result.faults.timeout + result.faults.neverSent, 50)
  assert.equal(result.socketFaults, 50)
  assert.equal(result.stages.latency.count, 50)
  assert.ok(result.stages.latency.p50Seconds > 0.27)
  const together = { mode: 'replay', clients: 1, timeoutMs: 100 }
  const { faults } = await load(closed(port, together), '0 0\n0 0\n0 0\n')
  assert.deepEqual([faults.timeout, faults.neverSent], [1, 2])
})

const planted = [
  { fault: 'endedEarly', says: 'half of the answer', on: (socket) => socket.end(OK.slice(0, -1)) },
  { fault: 'endedEarly', says: 'nothing', on: (socket) => socket.end() },
  { fault: 'reset', says: 'a reset', on: (socket) => socket.resetAndDestroy() },
  { fault: 'badAnswer', says: 'no HTTP', on: (socket) => socket.end('SSH-2.0-x\r\n') },
  {
    fault: 'status',
    says: 'a 503',
    on: (socket) => socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'),
    isAnswer: true,
  },
  { fault: 'wrongBytes', says: 'other bytes', on: (socket) => socket.end(OK), url: { bytes: 3 } },
  {
    fault: 'wrongDigest',
    says: 'another text of the same length',
    on: (socket) => socket.end(OK),
    url: { bytes: 2, sha256: createHash('sha256').update('no').digest('hex') },
  },
]
for (const { fault, says, on, url } of planted)
  test(`a server that says ${says} is told as ${fault}`, async (t) => {
    const port = await listen(t, (socket) => socket.once('data', () => on(socket)))
    const urls = [{ target: 0, path: '/', ...url }]
    const result = await load(closed(port, { urls, requests: 8 }))
    assert.equal(result.good, 0)
    onlyFault(result, fault, 8)
    const isOfSockets = !['status', 'wrongBytes', 'wrongDigest'].includes(fault)
    assert.equal(result.socketFaults, isOfSockets ? 8 : 0)
  })

test('nobody there: refused, and not asked in a tight loop', async (t) => {
  const server = await listen(t, () => {})
  const free = server === 1 ? 2 : 1 // no service has these
  const result = await load(closed(free, { requests: 0, seconds: 1, clients: 2 }))
  onlyFault(result, 'refused', result.requests)
  assert.ok(result.requests > 10 && result.requests <= 2 * 101, `${result.requests}`)
})

test('a kept connection that ended meanwhile is no fault: the request is sent again', async (t) => {
  const port = await listen(t, (socket) =>
    socket.on('data', () => {
      socket.write(OK)
      setTimeout(() => socket.destroy(), 15)
    }),
  )
  const plan = { mode: 'open', ratePerSecond: 65, seconds: 2, requests: 0, clients: 1 }
  const result = await load(closed(port, plan))
  assert.equal(result.good, 130)
  assert.ok(result.connections > 10, `${result.connections}`)
})

test('over TLS, to a server that is believed, and to none that is not', async (t) => {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['localhost'])
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['localhost', '*'], certificates: [certificate] }],
    files: { 'index.html': PAGE },
  })
  const secure = (more) => closed(node.tlsPort, { targets: [target(node.tlsPort, more)] })
  const plan = { ...secure({ tls: true }), caFile: root.pemFile }
  const urls = [{ target: 0, path: '/', bytes: PAGE.length, sha256: SHA256 }]
  const kept = await load({ ...plan, urls })
  assert.equal(kept.good, 200)
  assert.equal(kept.stages.handshake.count, 4)
  const each = await load({ ...plan, keepAlive: false, requests: 20 })
  assert.equal(each.good, 20)
  assert.equal(each.stages.handshake.count, 20)
  for (const other of [
    {},
    { caFile: root.pemFile, targets: secure({ tls: true, name: 'b.example' }).targets },
  ]) {
    const result = await load({ ...secure({ tls: true }), requests: 4, ...other })
    onlyFault(result, 'handshake', 4)
    assert.match(result.handshakeFault, /not believed/)
  }
  const insecure = await load({ ...secure({ tls: true, name: 'b.example' }), insecure: true })
  assert.equal(insecure.good, 200)
})

test('a request longer than a record of TLS is sent whole', async (t) => {
  const { root, intermediate } = authorities(t)
  const { chainFile, keyFile } = intermediate.issue(['localhost'])
  const [cert, key] = [chainFile, keyFile].map((file) => readFileSync(file))
  const lengths = []
  const server = https.createServer({ cert, key, maxHeaderSize: 65_536 }, (request, response) => {
    lengths.push(request.url.length + request.headers.x.length)
    response.end('ok')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address()
  const [path, x] = [`/${'p'.repeat(8000)}`, 'x'.repeat(16_000)]
  const secure = { targets: [target(port, { tls: true })], caFile: root.pemFile }
  const long = { urls: [{ target: 0, path }], fields: `X: ${x}\r\n` }
  // On a kept connection nothing else, such as tickets of TLS, says that the socket is ready.
  const kept = { clients: 1, requests: 4, timeoutMs: 3000 }
  const result = await load(closed(port, { ...secure, ...long, ...kept }))
  assert.equal(result.connections, 1)
  assert.equal(result.good, 4)
  assert.deepEqual(lengths, Array(4).fill(24_001))
})

test('an answer without end ends with its time-out, and the run with it', async (t) => {
  const piece = Buffer.alloc(1 << 20)
  const port = await listen(t, (socket) => {
    const more = () => socket.writable && socket.write(piece)
    socket.on('drain', more)
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      more()
    })
  })
  const endless = { requests: 2, clients: 2, timeoutMs: 500 }
  onlyFault(await load(closed(port, endless)), 'timeout', 2)
})

test('slow and aborting clients beside the others, whose answers are not theirs', async (t) => {
  const node = await startNode(t, { files: { 'index.html': Buffer.alloc(200_000, 'x') } })
  const plan = { seconds: 2, requests: 0, clients: 2, slowClients: 5, abortingClients: 5 }
  const result = await load(closed(node.port, { ...plan, slowBytesPerSecond: 2000 }))
  assert.equal(result.good, result.requests)
  assert.equal(result.slow.requests, 5)
  // 200 bytes each, ten times a second: a busy machine makes the run longer, not them faster.
  const most = 5 * 200 * (10 * result.elapsedSeconds + 1)
  assert.ok(result.slow.bytes > 0 && result.slow.bytes <= most, `${result.slow.bytes}`)
  assert.equal(result.slow.failed, 0)
  assert.ok(result.aborting.requests > 5, `${result.aborting.requests}`)
  assert.equal(result.aborting.failed, 0)
})

test('a log is replayed with its own timing', async (t) => {
  const asked = []
  const port = await listen(t, (socket) =>
    socket.on('data', (data) => {
      asked.push(String(data).split(' ')[1])
      socket.write(OK)
    }),
  )
  const urls = ['/a', '/b', '/c'].map((path) => ({ target: 0, path }))
  const plan = { mode: 'replay', seconds: 5, requests: 0, urls, clients: 1 }
  const result = await load(closed(port, plan), '0 2\n1000 0\n400000 1\n')
  assert.deepEqual(asked, ['/c', '/a', '/b'])
  assert.equal(result.good, 3)
  assert.ok(result.elapsedSeconds >= 0.4 && result.elapsedSeconds < 4, `${result.elapsedSeconds}`)
})

test('what is not loopback is refused, unless it was confirmed', async () => {
  const far = [{ name: 'example.org', address: '192.0.2.1', port: 80 }]
  const { code, stdout, stderr } = await startFarmload(closed(1, { targets: far })).ended
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /example\.org \(192\.0\.2\.1\) is not this machine/)
})

test('ends when told to, with what it has', async (t) => {
  const asked = Promise.withResolvers()
  const port = await listen(t, (socket) =>
    socket.on('data', () => {
      socket.write(OK)
      asked.resolve()
    }),
  )
  const run = startFarmload(closed(port, { requests: 0, seconds: 600 }))
  await asked.promise
  run.child.kill('SIGTERM')
  const { code, stdout } = await run.ended
  assert.equal(code, 0)
  assert.ok(JSON.parse(stdout).elapsedSeconds < 100)
})
