// SPDX-License-Identifier: MIT
// farmload over HTTP/2: against the node, and against servers that reset, refuse and leave.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { test } from 'node:test'
import tls from 'node:tls'
import { listen, load, target } from '../support/farmload.mjs'
import {
  END_HEADERS,
  END_STREAM,
  frame,
  GOAWAY,
  HEADERS,
  number32,
  settings,
} from '../support/http2-raw.mjs'
import { startNode } from '../support/node.mjs'
import { authorities, startTlsNode } from '../support/tls-node.mjs'

const PAGE = Buffer.alloc(4096, 'farm')
const SHA256 = createHash('sha256').update(PAGE).digest('hex')
const { constants } = http2

const plan = (port, more = {}) => ({
  mode: 'closed',
  streams: 4,
  clients: 8,
  seconds: 30,
  requests: 200,
  targets: [target(port)],
  urls: [{ target: 0, path: '/', bytes: PAGE.length, sha256: SHA256 }],
  ...more,
})

/** `onStream` gets the number of the stream, from 0. */
async function serve(t, onStream, onSession = () => {}) {
  let streams = 0
  const sessions = new Set()
  const server = http2.createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
    onSession(session)
  })
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    onStream(stream, streams++)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return server.address().port
}

function answer(stream) {
  stream.respond({ ':status': 200 })
  stream.end(PAGE)
}

function onlyFault(result, name, count) {
  const { [name]: found, ...others } = result.faults
  assert.equal(found, count, name)
  assert.deepEqual(
    Object.entries(others).filter(([, times]) => times > 0),
    [],
  )
}

test('streams of few connections, each byte checked, and fields of all requests', async (t) => {
  const node = await startNode(t, { files: { 'index.html': PAGE, 'a.txt': 'a' } })
  const urls = [
    ...plan(0).urls,
    { target: 0, path: '/a.txt', head: true },
    { target: 0, path: '/absent' },
  ]
  const result = await load(plan(node.port, { urls, fields: 'Accept: text/html\r\nX-A:b\r\n' }))
  assert.equal(result.requests, 200)
  assert.equal(result.connections, 2)
  assert.equal(result.good + result.faults.status, 200)
  assert.equal(result.statuses[404], result.faults.status)
  assert.ok(result.good > 100 && result.statuses[404] > 30)
  assert.equal(await node.counter('requests'), 200)
})

test('over TLS it must be agreed on', async (t) => {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['localhost'])
  const start = (config) =>
    startTlsNode(t, {
      sites: [{ hosts: ['localhost', '*'], certificates: [certificate] }],
      files: { 'index.html': PAGE },
      config,
    })
  const secure = (port) => ({ targets: [target(port, { tls: true })], caFile: root.pemFile })
  const node = await start({})
  const result = await load(plan(node.tlsPort, secure(node.tlsPort)))
  assert.equal(result.good, 200)
  assert.equal(result.stages.handshake.count, 2)
  const old = await start({ http2: false })
  const refused = await load(plan(old.tlsPort, { ...secure(old.tlsPort), requests: 16 }))
  onlyFault(refused, 'handshake', 16)
  assert.match(refused.handshakeFault, /application protocol/)
  const [cert, key] = [certificate.chainFile, certificate.keyFile].map((file) => readFileSync(file))
  const silent = tls.createServer({ cert, key })
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { port } = silent.address()
  const unanswered = await load(plan(port, { ...secure(port), requests: 8 }))
  onlyFault(unanswered, 'handshake', 8)
  assert.match(unanswered.handshakeFault, /does not agree on HTTP\/2/)
})

test('a stream that is reset is told as reset, and the connection goes on', async (t) => {
  const port = await serve(t, (stream, number) => {
    if (number % 10 === 9) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else answer(stream)
  })
  const result = await load(plan(port))
  assert.equal(result.connections, 2)
  onlyFault(result, 'reset', 20)
})

test('fewer bytes than the length says are a bad answer', async (t) => {
  const port = await serve(t, (stream) => {
    stream.respond({ ':status': 200, 'content-length': 5000 })
    stream.end(PAGE)
  })
  onlyFault(await load(plan(port, { requests: 8 })), 'badAnswer', 8)
})

test('a refused stream was not begun with: it is asked for again, once', async (t) => {
  const port = await serve(t, (stream, number) => {
    if (number % 10 === 0) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else answer(stream)
  })
  const result = await load(plan(port, { clients: 4, requests: 90 }))
  assert.equal(result.good, 90)
  assert.ok(result.sentAgain >= 9, `${result.sentAgain}`)
})

test('a server that goes away after some answers is connected to again', async (t) => {
  const port = await serve(t, (stream, number) => {
    if (number % 50 === 49) stream.session.close()
    answer(stream)
  })
  const result = await load(plan(port))
  assert.equal(result.good, 200)
  assert.ok(result.connections > 3, `${result.connections}`)
})

test('who was not asked for on a connection that is gone, too, has lost nothing by it', async (t) => {
  const NO_CONTENT = Buffer.from([0x89]) // ":status: 204" (RFC 7541, appendix A)
  const port = await listen(t, (socket) => {
    // The answer to one request, the news that no more are taken, and the end, all in one piece.
    const last = Buffer.concat([
      frame(HEADERS, END_HEADERS | END_STREAM, 1, NO_CONTENT),
      frame(GOAWAY, 0, 0, Buffer.concat([number32(1), number32(0)])),
    ])
    socket.write(settings())
    socket.once('data', () => setTimeout(() => socket.end(last), 20))
  })
  const urls = [{ target: 0, path: '/' }]
  const result = await load(plan(port, { urls, clients: 1, streams: 1, requests: 12 }))
  assert.equal(result.good, 12, JSON.stringify(result.faults))
  assert.equal(result.connections, 12)
})

test('time-outs end their stream alone; who is never answered is not asked without end', async (t) => {
  const port = await serve(t, (stream, number) => {
    if (number % 2 === 0) answer(stream)
  })
  const result = await load(plan(port, { timeoutMs: 1000, requests: 40 }))
  assert.equal(result.connections, 2)
  onlyFault(result, 'timeout', 20)
  assert.equal(result.good, 20)
  assert.ok(result.stages.latency.p99Seconds >= 0.95)
})

test('no HTTP/2, and nobody there', async (t) => {
  const port = await listen(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const result = await load(plan(port, { requests: 8, seconds: 1 }))
  assert.equal(result.good, 0)
  assert.equal(result.requests, 8)
  onlyFault(await load(plan(1, { requests: 8, seconds: 1 })), 'refused', 8)
})

test('an open loop is timed from when requests were due, here too', async (t) => {
  const port = await serve(t, (stream) => setTimeout(() => answer(stream), 20))
  const open = { mode: 'open', ratePerSecond: 100, seconds: 1, requests: 0, clients: 1, streams: 1 }
  const { stages, good } = await load(plan(port, open))
  assert.equal(good, 100)
  assert.ok(stages.latency.maxNs > 900e6, `${stages.latency.maxNs}`)
})
