// SPDX-License-Identifier: MIT
// HTTP/2 over TLS: chosen by ALPN, and as right as HTTP/1.1.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { test } from 'node:test'
import { byteByByte } from '../support/byte-by-byte.mjs'
import { files, LARGE, sha, start } from '../support/example-over-tls.mjs'
import { authorities, connectTls, refusal, startTlsNode } from '../support/tls-node.mjs'

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
