// SPDX-License-Identifier: MIT
// HTTPS: what is served is the same as without, whichever way the bytes are cut. 52_tls_http2 has it by HTTP/2.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteByByte } from '../support/byte-by-byte.mjs'
import { ask, LARGE, sha, start } from '../support/example-over-tls.mjs'
import { until } from '../support/node.mjs'
import { exchange } from '../support/raw.mjs'
import { tlsClient } from '../support/tls-node.mjs'

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
