// SPDX-License-Identifier: MIT
// HTTPS: what is served is the same as without, whichever way the bytes are cut, by HTTP/2 as well.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { describe, test } from 'node:test'
import { ask, files, LARGE, sha, start } from '../support/example-over-tls.mjs'
import { until } from '../support/node.mjs'
import { exchange, LOOPBACK } from '../support/raw.mjs'
import { authorities, connectTls, refusal, startTlsNode, tlsClient } from '../support/tls-node.mjs'

for (const [name, versions] of [
  ['TLS 1.3', { minVersion: 'TLSv1.3' }],
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
])
  test(`${name}: files, ranges, conditions and errors are what they are without it`, async (t) => {
    const { node, ca } = await start(t)
    const client = await tlsClient(node.tlsPort, { ca, ...versions })
    assert.equal(client.socket.alpnProtocol, 'http/1.1')
    for (const [target, options] of [
      ['/a.txt'],
      ['/large.bin'],
      ['/large.bin', { lines: ['Range: bytes=5-1000005'] }],
      ['/large.bin', { lines: ['Range: bytes=0-9,2000000-2999999'] }],
      ['/a.txt', { method: 'HEAD' }],
      ['/a.txt', { method: 'OPTIONS' }],
      ['/empty.txt'],
      ['/nothing'],
      ['/a.txt', { method: 'POST', lines: ['Content-Length: 5'], body: 'hello' }],
    ]) {
      const isHead = options?.method === 'HEAD'
      client.send(ask(target, options))
      const over = await client.response({ isHead })
      const plain = await exchange(node.port, ask(target, options), { isHead })
      const head = (answer) => ({
        ...answer.headers,
        date: '',
        'last-modified': '', // is not sent in the second in which a file was written
        'content-type': answer.headers['content-type']?.replace(/boundary=.*/, ''),
      })
      assert.equal(over.status, plain.status, target)
      assert.deepEqual(head(over), head(plain), target)
      if (!over.headers['content-type']?.startsWith('multipart'))
        assert.equal(sha(over.body), sha(plain.body), target)
      else assert.equal(over.body.length, plain.body.length)
    }
    client.close()
  })

test('a large file is whole for many clients at once, and the memory for them is given back', async (t) => {
  const { node, ca } = await start(t)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await tlsClient(node.tlsPort, { ca })
      for (let i = 0; i < 3; i++) {
        client.send(ask('/large.bin'))
        assert.equal(sha((await client.response()).body), sha(LARGE))
      }
      client.close()
    }),
  )
})

test('requests in one record, and one request in many records', async (t) => {
  const { node, ca } = await start(t)
  const client = await tlsClient(node.tlsPort, { ca })
  client.send(ask('/a.txt') + ask('/nothing') + ask('/large.bin') + ask('/empty.txt'))
  assert.equal((await client.response()).text, 'alpha')
  assert.equal((await client.response()).status, 404)
  assert.equal(sha((await client.response()).body), sha(LARGE))
  assert.equal((await client.response()).status, 200)
  client.socket.setNoDelay(true)
  for (const letter of ask('/a.txt')) client.send(letter)
  assert.equal((await client.response()).text, 'alpha')
  // More than the connection takes at a time: what is not decrypted yet is kept.
  const many = 400
  client.send(ask('/a.txt', { lines: [`X-Padding: ${'x'.repeat(300)}`] }).repeat(many))
  for (let i = 0; i < many; i++) assert.equal((await client.response()).text, 'alpha')
  client.close()
})

/** A proxy that gives each byte of the client's to the node by itself. Returns its port. */
async function byteByByte(t, port) {
  const server = net.createServer({ noDelay: true }, (near) => {
    const far = net.connect({ port, host: LOOPBACK, noDelay: true })
    near.on('data', async (bytes) => {
      near.pause()
      for (const byte of bytes) {
        far.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      near.resume()
    })
    far.pipe(near)
    near.on('close', () => far.destroy()).on('error', () => {})
    far.on('error', () => near.destroy())
  })
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  return server.address().port
}

test('handshake and request byte by byte', async (t) => {
  const { node, ca } = await start(t)
  const port = await byteByByte(t, node.tlsPort)
  for (const versions of [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]) {
    const client = await tlsClient(port, { ca, ...versions })
    client.send(ask('/large.bin'))
    assert.equal(sha((await client.response()).body), sha(LARGE))
    client.close()
  }
})

test('a node that stops ends responses under way, and says that nothing follows', async (t) => {
  const { node, ca } = await start(t, { site: { bytesPerSecond: 3_000_000 } })
  const client = await tlsClient(node.tlsPort, { ca })
  client.send(ask('/large.bin'))
  await until(() => client.received > 10_000, 'a part of it')
  const stopped = node.stop()
  const answer = await client.response()
  assert.equal(sha(answer.body), sha(LARGE))
  await client.closed()
  assert.equal(client.error, null) // close_notify came before the end of the connection
  assert.equal(await stopped, 0)
})

describe('HTTP/2', () => {
  /** A session whose streams are asked one after the other. */
  async function session(t, node, options) {
    const client = http2.connect(`https://a.example:${node.tlsPort}`, {
      createConnection: () => options.socket,
    })
    t.after(() => client.destroy())
    const get = async (path, headers = {}) => {
      const stream = client.request({ ':path': path, ':authority': 'a.example', ...headers })
      const chunks = []
      stream.on('data', (chunk) => chunks.push(chunk))
      const [answer] = await once(stream, 'response')
      await once(stream, 'end')
      return { headers: answer, status: answer[':status'], body: Buffer.concat(chunks) }
    }
    return { client, get }
  }

  const h2 = async (t, node, options) =>
    session(t, node, {
      socket: await connectTls(node.tlsPort, { ALPNProtocols: ['h2', 'http/1.1'], ...options }),
    })

  test('is chosen by ALPN, and answers many requests at once', async (t) => {
    const { node, ca } = await start(t, { site: { hsts: { maxAgeSeconds: 300 } } })
    const { client, get } = await h2(t, node, { ca })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => get(i % 3 ? '/a.txt' : '/large.bin')),
    )
    for (const [i, { status, body, headers }] of answers.entries()) {
      assert.equal(status, 200)
      assert.equal(sha(body), sha(i % 3 ? 'alpha' : LARGE))
      assert.equal(headers['strict-transport-security'], 'max-age=300')
    }
    client.close()
    assert.equal((await node.status()).tls.failures.length, 0)
  })

  test('byte by byte', async (t) => {
    const { node, ca } = await start(t)
    const port = await byteByByte(t, node.tlsPort)
    const socket = await connectTls(port, { ca, ALPNProtocols: ['h2'] })
    const { get } = await session(t, node, { socket })
    assert.equal(sha((await get('/large.bin')).body), sha(LARGE))
    assert.equal((await get('/nothing')).status, 404)
  })

  test('can be switched off', async (t) => {
    const { node, ca } = await start(t, { config: { http2: false } })
    const socket = await connectTls(node.tlsPort, { ca, ALPNProtocols: ['h2', 'http/1.1'] })
    assert.equal(socket.alpnProtocol, 'http/1.1')
    socket.destroy()
    assert.notEqual(await refusal(node.tlsPort, { ca, ALPNProtocols: ['h2'] }), 'none')
  })

  test("a site that asks for clients' certificates is not had on another one's connection", async (t) => {
    const { root, intermediate } = authorities(t)
    const certificate = intermediate.issue(['a.example', 'club.example'])
    const node = await startTlsNode(t, {
      files,
      sites: [
        { hosts: ['a.example'], certificates: [certificate] },
        {
          hosts: ['club.example'],
          certificates: [certificate],
          clientCertificates: { mode: 'required', caFile: root.pemFile },
        },
      ],
    })
    const { get } = await h2(t, node, { ca: root.pem })
    assert.equal((await get('/a.txt')).status, 200)
    assert.equal((await get('/a.txt', { ':authority': 'club.example' })).status, 421)
    assert.equal((await get('/a.txt')).status, 200)
  })
})
