// SPDX-License-Identifier: MIT
// Disks that hang, fail and change beneath streams of HTTP/2: only the stream concerned feels it.
import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectHttp2, exchangeHttp2 } from '../conformance/http2.mjs'
import { badDisk } from '../support/bad-disk.mjs'
import * as h2 from '../support/http2-raw.mjs'
import { hungDisk } from '../support/hung-disk.mjs'
import { startNode, until } from '../support/node.mjs'

const INTERNAL_ERROR = 2
const big = Buffer.alloc(8 << 20, 'x')
const files = {
  'a.txt': 'alpha',
  'hang-open.txt': 'late',
  'hang-read.txt': 'late',
  'hang-read.bin': big, // too large for memory
  'hang-late.bin': big,
  'eio-read.txt': 'small',
  'eio-read.bin': big,
  'eio-late.bin': big,
  'big.bin': big,
}
const config = { io: { timeoutSeconds: 1, statThreads: 4, readThreads: 4 } }

const ask = (session, path) =>
  exchangeHttp2(session, {
    headers: { ':method': 'GET', ':scheme': 'http', ':authority': 'test', ':path': path },
    content: Buffer.alloc(0),
  })

test('a stream that waits for a disk is answered with 503 in time, the others at once', async (t) => {
  const { wrap, release } = hungDisk(t)
  const node = await startNode(t, { files, config, wrap })
  const session = connectHttp2(node.port)
  const start = Date.now()
  let refused = 0
  const waiting = Promise.all(
    ['/hang-open.txt', '/hang-read.txt', '/hang-read.bin'].map(async (path) => {
      const answer = await ask(session, path)
      refused++
      return answer
    }),
  )
  assert.equal((await ask(session, '/a.txt')).body.toString(), 'alpha')
  assert.equal(refused, 0, 'it did not wait until the others were given up')
  assert.deepEqual(
    (await waiting).map(({ status }) => status),
    [503, 503, 503],
  )
  assert.ok(Date.now() - start < 4000)
  assert.equal((await ask(session, '/a.txt')).status, 200)
  await release()
  await until(async () => (await ask(session, '/hang-read.bin')).status === 200, 'the file')
  session.destroy()
})

test('a disk that hangs within a response ends its stream, not the connection', async (t) => {
  const { wrap, release } = hungDisk(t)
  const node = await startNode(t, { files, config, wrap })
  const session = connectHttp2(node.port)
  const { status, reset, body } = await ask(session, '/hang-late.bin')
  assert.equal(status, 200)
  assert.equal(reset, INTERNAL_ERROR)
  assert.ok(body.length > 0 && body.length < big.length)
  assert.equal((await ask(session, '/a.txt')).status, 200)
  await node.untilCounter('aborted', 1)
  await release()
  session.destroy()
})

test('a disk that fails is 500 before the first byte, and the end of the stream after it', async (t) => {
  const node = await startNode(t, { files, wrap: badDisk() })
  const session = connectHttp2(node.port)
  for (const path of ['/eio-read.txt', '/eio-read.bin'])
    assert.ok([500, 503].includes((await ask(session, path)).status), path)
  const late = await ask(session, '/eio-late.bin')
  assert.equal(late.reset, INTERNAL_ERROR)
  assert.ok(late.body.length < big.length)
  assert.equal((await ask(session, '/a.txt')).status, 200)
  session.destroy()
})

test('a file that is cut while it is sent ends its stream, not the connection', async (t) => {
  const node = await startNode(t, { files })
  const client = await h2.Http2Raw.connect(node.port)
  client.send(h2.get(1, '/big.bin')) // more than the first window
  await client.frame(({ type }) => type === h2.DATA)
  truncateSync(join(node.root, 'big.bin'), 1000)
  client.send(
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(20_000_000)),
    h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.number32(20_000_000)),
    h2.get(3, '/a.txt'),
  )
  assert.equal((await client.end(1)).type, h2.RST_STREAM)
  assert.equal((await client.end(3)).type, h2.DATA)
  client.close()
})
