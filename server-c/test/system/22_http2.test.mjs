// SPDX-License-Identifier: MIT
// HTTP/2 with prior knowledge: what a client of it gets besides the answers, which 26_http2_conformance
// asks for.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectHttp2 } from '../conformance/http2.mjs'
import { ask, files } from '../support/http2-ask.mjs'
import * as h2 from '../support/http2-raw.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { unreadBytes } from '../support/process.mjs'
import { exchange, get, RawClient } from '../support/raw.mjs'

const run = promisify(execFile)
const INTERNAL_ERROR = 2

test('a hundred requests at once are answered on one connection', async (t) => {
  const node = await startNode(t, { files })
  const session = connectHttp2(node.port)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask(node, i % 10 ? '/a.txt' : '/big.bin', {}, session)),
  )
  for (const [i, { status, body }] of answers.entries()) {
    assert.equal(status, 200)
    assert.equal(body.length, i % 10 ? 5 : 3_000_000)
  }
  await node.untilCounter('connections', 1)
  await node.untilCounter('requests', 100)
  await node.untilCounter('http2Requests', 100)
  await node.untilCounter('responses2xx', 100)
  session.destroy()
  await until(async () => (await node.status()).gauges.openConnections === 0, 'its end')
})

test('precompressed copies, error pages, listings and redirects are those of HTTP/1.1', async (t) => {
  const node = await startNode(t, {
    files,
    site: {
      precompressed: ['gzip'],
      errorPages: { 404: '/error.html' },
      directoryListing: { enabled: true },
      headers: [{ action: 'set', name: 'X-Own', value: 'Mine' }],
    },
  })
  const packed = await ask(node, '/app.js', { 'accept-encoding': 'gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(packed.body.toString(), 'packed')
  assert.equal(packed.headers['x-own'], 'Mine')
  assert.equal((await ask(node, '/app.js')).body.toString(), 'plain')
  const missing = await ask(node, '/missing')
  assert.equal(missing.status, 404)
  assert.equal(missing.body.toString(), 'not here')
  assert.match((await ask(node, '/folder/')).body.toString(), /x\.txt/)
  assert.equal((await ask(node, '/folder')).headers.location, '/folder/')
})

test('who has to sign in is told so, and gets in', async (t) => {
  const users = join(tempFolder(t), 'users')
  // "sesame"
  writeFileSync(users, 'zoe:$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq\n')
  const node = await startNode(t, {
    files,
    site: { auth: [{ paths: ['/**'], realm: 'inner', file: users }] },
  })
  const asked = await ask(node, '/a.txt')
  assert.equal(asked.status, 401)
  assert.match(asked.headers['www-authenticate'], /^Basic realm="inner"/)
  const word = Buffer.from('zoe:sesame').toString('base64')
  assert.equal((await ask(node, '/a.txt', { authorization: `Basic ${word}` })).status, 200)
})

test('files that are not in memory come from the disk whole', async (t) => {
  const node = await startNode(t, { files, config: { fileCache: { maxBytes: 0 } } })
  const session = connectHttp2(node.port)
  const wanted = createHash('sha256').update(files['big.bin']).digest('hex')
  for (const { body } of await Promise.all(
    Array.from({ length: 10 }, () => ask(node, '/big.bin', {}, session)),
  ))
    assert.equal(createHash('sha256').update(body).digest('hex'), wanted)
  const { status, body } = await ask(node, '/big.bin', { range: 'bytes=100-199' }, session)
  assert.equal(status, 206)
  assert.equal(body.length, 100)
  session.destroy()
})

test('the access log names the version, the bytes and the user agent', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, { files, config: { accessLog: { path } } })
  await ask(node, '/a.txt?q=1', { 'user-agent': 'a browser', referer: 'http://x/' })
  await until(() => readFileSync(path, 'utf8').includes('\n'), 'a line')
  assert.match(
    readFileSync(path, 'utf8'),
    /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/a\.txt\?q=1 HTTP\/2\.0" 200 5 "http:\/\/x\/" "a browser"\n$/,
  )
})

test('a stream that is cancelled is counted, and the others go on', async (t) => {
  const node = await startNode(t, { files })
  const session = connectHttp2(node.port)
  const cancelled = session.request({ ':path': '/big.bin', ':authority': 'test' })
  cancelled.on('error', () => {})
  await new Promise((resolve) => cancelled.once('response', resolve))
  cancelled.close(h2.CANCEL)
  assert.equal((await ask(node, '/a.txt', {}, session)).status, 200)
  await until(async () => (await node.counter('aborted')) === 1, 'it is counted')
  session.destroy()
})

test('"http2": false answers 505, as before; a reload turns it off for those connected', async (t) => {
  const node = await startNode(t, { files })
  const client = await h2.Http2Raw.connect(node.port)
  client.send(h2.get(1, '/a.txt'))
  await client.end(1)
  assert.ok(await node.reload({ ...node.config, http2: false }))
  await client.goodbye()
  const refused = await exchange(node.port, Buffer.from(h2.PREFACE))
  assert.equal(refused.status, 505)
  assert.equal((await get(node.port, '/a.txt')).status, 200)
})

test('an upgrade from HTTP/1.1 is ignored (RFC 9113 section 3.1)', async (t) => {
  const node = await startNode(t, { files })
  const lines = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
  const { status, text } = await get(node.port, '/a.txt', { lines })
  assert.equal(status, 200)
  assert.equal(text, 'alpha')
})

test('the preface may come in pieces, and only first', async (t) => {
  const node = await startNode(t, { files })
  const client = await h2.Http2Raw.connect(node.port, { greets: false })
  for (const byte of Buffer.concat([Buffer.from(h2.PREFACE), h2.settings(), h2.get(1, '/a.txt')])) {
    client.send(Buffer.from([byte]))
    await sleep(1)
  }
  await client.end(1)
  client.close()
  const second = await RawClient.connect(node.port)
  second.send(`GET /a.txt HTTP/1.1\r\nHost: test\r\n\r\n${h2.PREFACE}`)
  assert.equal((await second.response()).status, 200)
  assert.equal((await second.response()).status, 505)
  await second.closed()
  const broken = await h2.Http2Raw.connect(node.port, { greets: false })
  broken.send(Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'))
  await broken.goodbye()
  await node.untilEnds('protocolError', 1)
})

/* --- order ----------------------------------------------------------------------------------- */

/** In which order streams end whose window opens when all have been asked for. */
async function orderOf(node, requests) {
  const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0]) })
  client.send(...requests)
  await client.frame(({ type, id }) => type === h2.HEADERS && id === 5, 'the third head')
  client.send(
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(20_000_000)),
    h2.settings([4, 0x7fffffff]),
  )
  await Promise.all([1, 3, 5].map((id) => client.end(id)))
  const data = client.frames.filter(({ type }) => type === h2.DATA)
  client.close()
  return {
    ends: data.filter(({ flags }) => flags & h2.END_STREAM).map(({ id }) => id),
    changes: data.filter(({ id }, i) => i > 0 && data[i - 1].id !== id).length,
  }
}

test('a style sheet goes before the pictures that were asked for earlier (RFC 9218)', async (t) => {
  const node = await startNode(t, { files })
  const { ends, changes } = await orderOf(node, [
    h2.get(1, '/big.bin', [['priority', 'u=5, i']]),
    h2.get(3, '/big.bin', [['priority', 'u=5, i']]),
    h2.get(5, '/small.css', [['priority', 'u=0']]),
  ])
  assert.equal(ends[0], 5)
  assert.ok(changes > 20, `the pictures take turns: ${changes} changes`)
})

test('without a priority one after the other, in the order asked for', async (t) => {
  const node = await startNode(t, { files })
  const { ends, changes } = await orderOf(node, [
    h2.get(1, '/big.bin'),
    h2.get(3, '/big.bin'),
    h2.get(5, '/small.css'),
  ])
  assert.deepEqual(ends, [1, 3, 5])
  assert.equal(changes, 2)
})

test('PRIORITY_UPDATE changes the order of what is under way', async (t) => {
  const node = await startNode(t, { files })
  const update = Buffer.concat([h2.number32(5), Buffer.from('u=1')])
  const { ends } = await orderOf(node, [
    h2.get(1, '/big.bin'),
    h2.get(3, '/big.bin'),
    h2.get(5, '/big.bin'),
    h2.frame(h2.PRIORITY_UPDATE, 0, 0, update),
  ])
  assert.equal(ends[0], 5)
})

test('a style sheet does not wait behind megabytes of a picture that the kernel was given', async (t) => {
  const picture = Buffer.alloc(16 << 20, 'p')
  const node = await startNode(t, { files: { ...files, 'picture.bin': picture } })
  const client = await h2.Http2Raw.connect(node.port, { first: h2.settings([4, 0x7fffffff]) })
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(0x7ffe0000)))
  client.send(h2.get(1, '/picture.bin', [['priority', 'u=5']]))
  await client.frame(({ type }) => type === h2.DATA)
  client.socket.pause()
  await sleep(300) // all that fits on the way is on the way
  client.send(h2.get(3, '/small.css', [['priority', 'u=0']]))
  await until(() => unreadBytes(node.port, [client]) === 0, 'the node has read it')
  client.socket.resume()
  await client.end(3)
  const before = client.frames.slice(
    0,
    client.frames.findIndex(({ id }) => id === 3),
  )
  const bytes = before.reduce((sum, { payload }) => sum + payload.length, 0)
  assert.ok(bytes < 2 << 20, `${bytes} bytes of the picture first`)
  client.close()
})

test('a client behind a trusted proxy is the visitor', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await startNode(t, {
    files,
    config: { accessLog: { path }, trustedProxies: ['127.0.0.1'] },
  })
  await ask(node, '/a.txt', { 'x-forwarded-for': '192.0.2.7' })
  await until(() => readFileSync(path, 'utf8').includes('\n'), 'a line')
  assert.match(readFileSync(path, 'utf8'), /^192\.0\.2\.7 /)
})

test('a HEAD with content is a HEAD, and a short POST is answered without a reset', async (t) => {
  const node = await startNode(t, { files })
  const client = await h2.Http2Raw.connect(node.port)
  const send = (id, method) => {
    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, id, h2.block('/a.txt', [], method)))
    client.send(h2.frame(h2.DATA, h2.END_STREAM, id, Buffer.alloc(1000)))
  }
  send(1, 'HEAD')
  send(3, 'POST')
  assert.equal((await client.end(1)).type, h2.HEADERS)
  assert.equal((await client.end(3)).type, h2.DATA)
  client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)))
  await client.frame(({ type, flags }) => type === h2.PING && flags === h2.ACK)
  assert.equal(client.frames.filter(({ type }) => type === h2.RST_STREAM).length, 0)
  client.close()
})

test('a head of more than one frame is sent; one that no frames take resets the stream', async (t) => {
  // Of a letter that Huffman's code makes longer.
  const rules = (length) =>
    Array.from({ length: 30 }, (_, i) => ({
      action: 'set',
      name: `X-${i}`,
      value: '~'.repeat(length),
    }))
  const node = await startNode(t, { files, site: { headers: rules(1000) } })
  const client = await h2.Http2Raw.connect(node.port)
  client.send(h2.get(1, '/a.txt'))
  assert.equal((await client.end(1)).type, h2.DATA)
  assert.ok(client.frames.some(({ type }) => type === h2.CONTINUATION))
  const [site] = node.config.sites
  const config = { ...node.config, sites: [{ ...site, headers: rules(4000) }] }
  assert.ok(await node.reload(config))
  client.send(h2.get(3, '/a.txt'))
  assert.equal((await client.end(3)).payload.readUInt32BE(0), INTERNAL_ERROR)
  client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)))
  await client.frame(({ type, flags }) => type === h2.PING && flags === h2.ACK)
  client.close()
})

test('windows may become negative, and open again (RFC 9113 section 6.9.2)', async (t) => {
  const node = await startNode(t, { files })
  const client = await h2.Http2Raw.connect(node.port)
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.number32(20_000_000)))
  client.send(h2.get(1, '/big.bin'))
  const got = () =>
    client.frames
      .filter(({ type }) => type === h2.DATA)
      .reduce((sum, one) => sum + one.payload.length, 0)
  await until(() => got() === 65_535, 'a window full')
  client.send(h2.settings([4, 1000])) // 64,535 less than nothing
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.number32(64_535)))
  client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)))
  await client.frame(({ type, flags }) => type === h2.PING && flags === h2.ACK)
  assert.equal(got(), 65_535)
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.number32(3_000_000)))
  await client.end(1)
  assert.equal(got(), 3_000_000)
  client.close()
})

/* --- others' clients ------------------------------------------------------------------------- */

test('curl, nghttp and h2load get what they ask for', async (t) => {
  const node = await startNode(t, { files })
  const url = `http://127.0.0.1:${node.port}`
  const curl = await run('curl', [
    '-sS',
    '--http2-prior-knowledge',
    '-w',
    '%{http_version}',
    `${url}/a.txt`,
  ])
  assert.equal(curl.stdout, 'alpha2')
  // These two are not on every machine.
  const nghttp = await run('nghttp', ['-s', '-n', `${url}/a.txt`, `${url}/big.bin`]).catch(skip)
  if (nghttp) assert.equal((nghttp.stdout.match(/ 200 /g) ?? []).length, 2)
  const load = await run('h2load', ['-n', '2000', '-c', '4', '-m', '16', `${url}/a.txt`]).catch(
    skip,
  )
  if (load) assert.match(load.stdout, /2000 succeeded, 0 failed/)
})

function skip(error) {
  if (error.code === 'ENOENT') return null
  throw error
}
